-- The model steps among these (trace id, step id).
SELECT Project, TraceId, StepId, CallKey, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect
FROM steps FINAL
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  AND (TraceId, StepId) IN JSONExtract({calls:String}, 'Array(Tuple(String, String))')
ORDER BY TraceId, StepId
