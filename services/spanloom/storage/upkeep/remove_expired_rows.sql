ALTER TABLE {table:Identifier}
DELETE WHERE {unless} AND toUnixTimestamp(toDateTime({column:Identifier})) < transform(toString(Project),
    JSONExtract({projects:String}, 'Array(String)'), JSONExtract({cutoffs:String}, 'Array(UInt32)'), {cutoff:UInt32})
