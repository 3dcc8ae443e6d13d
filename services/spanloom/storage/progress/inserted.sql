-- The seconds in which rows were inserted, each with a fingerprint of its rows; `width` seconds count as one.
SELECT intDiv(toUnixTimestamp64Milli(InsertedAt), 1000 * {width:Int64}) * {width:Int64} AS second,
       sum(cityHash64(Project, TraceId, Seq, Spans))
FROM trace_changes
WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * intDiv({since:Int64}, {width:Int64}) * {width:Int64})
GROUP BY second
