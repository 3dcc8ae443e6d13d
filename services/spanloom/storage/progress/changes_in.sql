-- What each trace got in each of some seconds. The bounds are for the index.
SELECT Project, TraceId, max(Seq) AS newest, toUnixTimestamp64Nano(min(AcceptedAt)) AS first_accepted,
       toUnixTimestamp64Nano(max(AcceptedAt)) AS last_accepted, max(HasRoot) AS has_root, sum(Spans) AS spans,
       intDiv(toUnixTimestamp64Milli(InsertedAt), 1000) AS second
FROM trace_changes
WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * {since:Int64})
  AND InsertedAt < fromUnixTimestamp64Milli(1000 * {until:Int64})
  AND second IN JSONExtract({seconds:String}, 'Array(Int64)')
GROUP BY Project, TraceId, second
