DROP TABLE IF EXISTS {table:Identifier} SYNC
