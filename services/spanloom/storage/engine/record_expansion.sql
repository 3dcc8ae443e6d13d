INSERT INTO schema_expansions (number, name, checksum)
SELECT {number:UInt32}, {name:String}, {checksum:String}
