-- The model steps among these (trace id, step id) that overlap a time range.
SELECT Project, TraceId, StepId, CallKey, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect
FROM steps FINAL
WHERE Project = {project:String}
  AND (TraceId, StepId) IN JSONExtract({calls:String}, 'Array(Tuple(String, String))')
  AND StartTimeUnixNano <= {until_ns:UInt64}
  AND EndTimeUnixNano >= {from_ns:UInt64}
ORDER BY TraceId, StepId
