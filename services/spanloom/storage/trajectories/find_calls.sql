-- The model steps among these (trace id, step id), each with how many its trace has.
SELECT Project, TraceId, StepId, CallKey, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect, Calls
FROM
(
    SELECT Project, TraceId, StepId, CallKey, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect,
           countIf(Type = 'model') OVER (PARTITION BY Project, TraceId) AS Calls
    FROM steps FINAL
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
)
WHERE (TraceId, StepId) IN JSONExtract({calls:String}, 'Array(Tuple(String, String))')
ORDER BY TraceId, StepId
