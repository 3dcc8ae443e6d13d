-- What each trace got in each of some seconds, in the order of storage.progress.store._change_of.
-- The bounds are for the index.
SELECT Project, TraceId, max(Seq), toUnixTimestamp64Nano(min(AcceptedAt)),
       toUnixTimestamp64Nano(max(AcceptedAt)), max(HasRoot), sum(Spans),
       intDiv(toUnixTimestamp64Milli(InsertedAt), 1000) AS second
FROM trace_changes
WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * {since:Int64})
  AND InsertedAt < fromUnixTimestamp64Milli(1000 * {until:Int64})
  AND second IN JSONExtract({seconds:String}, 'Array(Int64)')
GROUP BY Project, TraceId, second
