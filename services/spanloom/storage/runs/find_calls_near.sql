-- The calls of these keys that ran at some time in one window, including those of replaced versions.
-- Without a join with a window for each key, which cost more than the rest if nothing matches.
SELECT TraceId, StepId, CallKey, Seq, Version, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect,
       ModelSteps, ToolSteps, Richness, Answer, Question
FROM call_index
WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
      AND EndTimeUnixNano >= {from_ns:UInt64} AND StartTimeUnixNano <= {until_ns:UInt64}
ORDER BY Seq DESC, Version DESC
LIMIT 1 BY CallKey, TraceId, StepId
