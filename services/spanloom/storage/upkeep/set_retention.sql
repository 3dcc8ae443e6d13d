ALTER TABLE {table:Identifier} MODIFY TTL toDateTime({column:Identifier}) + toIntervalDay({days:UInt32})
