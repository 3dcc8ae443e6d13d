-- The steps among these (trace id, step id), each with how much its trace tells.
SELECT Project, TraceId, StepId, CallKey, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect,
       ModelSteps, ToolSteps, Richness
FROM
(
    SELECT Project, TraceId, StepId, CallKey, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect,
           countIf(Type = 'model') OVER trace AS ModelSteps,
           countIf(Type = 'tool') OVER trace AS ToolSteps,
           sumIf(steps.Richness, Type IN ('model', 'tool')) OVER trace AS Richness
    FROM steps FINAL
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    WINDOW trace AS (PARTITION BY Project, TraceId)
)
WHERE (TraceId, StepId) IN JSONExtract({calls:String}, 'Array(Tuple(String, String))')
ORDER BY TraceId, StepId
