-- The number of rows older than their project's cutoff (seconds since the epoch).
SELECT count()
FROM {table:Identifier}
WHERE {unless} AND toUnixTimestamp(toDateTime({column:Identifier})) < transform(toString(Project),
    JSONExtract({projects:String}, 'Array(String)'), JSONExtract({cutoffs:String}, 'Array(UInt32)'), {cutoff:UInt32})
