-- The ids of what each request brought of some traces, where they are known.
SELECT Project, TraceId, Seq, IsEvents, Finished, Open
FROM trace_requests
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  AND (notEmpty(Finished) OR notEmpty(Open))
LIMIT 1 BY Project, TraceId, Seq, IsEvents, Mark
