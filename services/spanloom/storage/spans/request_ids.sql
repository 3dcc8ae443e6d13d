-- The ids of the spans or events in each request of some traces, where the ids are known.
SELECT Project, TraceId, Seq, IsEvents, Finished, Open
FROM trace_requests
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  AND (notEmpty(Finished) OR notEmpty(Open))
LIMIT 1 BY Project, TraceId, Seq, IsEvents, Mark
