-- The calls of these keys that ran at some time in one window. What a replaced version had is here
-- too. No join with a window for each key: it took more than all the rest where nothing is found.
SELECT TraceId, StepId, CallKey, Seq, Version, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect,
       ModelSteps, ToolSteps, Richness
FROM call_index
WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
      AND EndTimeUnixNano >= {from_ns:UInt64} AND StartTimeUnixNano <= {until_ns:UInt64}
ORDER BY Seq DESC, Version DESC
LIMIT 1 BY CallKey, TraceId, StepId
