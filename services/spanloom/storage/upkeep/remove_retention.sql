ALTER TABLE {table:Identifier} REMOVE TTL
