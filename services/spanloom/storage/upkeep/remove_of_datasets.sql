ALTER TABLE {table:Identifier}
DELETE WHERE (Project, {column:Identifier}) IN
    (SELECT Project, Name FROM datasets FINAL WHERE IsDeleted AND AtUnixMicro < {before_us:UInt64})
