-- Model steps with these call keys that overlap a time range.
SELECT Project, TraceId, StepId, CallKey, StartTimeUnixNano, EndTimeUnixNano, IsBare
FROM steps FINAL
WHERE Project = {project:String}
  AND (Project, TraceId, StepId) IN (
    SELECT Project, TraceId, StepId
    FROM call_index
    WHERE Project = {project:String} AND CallKey IN {call_keys:Array(String)}
  )
  AND CallKey IN {call_keys:Array(String)}
  AND StartTimeUnixNano <= {until_ns:UInt64}
  AND EndTimeUnixNano >= {from_ns:UInt64}
ORDER BY TraceId, StepId
