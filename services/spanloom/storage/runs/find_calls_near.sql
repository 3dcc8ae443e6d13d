-- The calls with some keys that ran at some time in one window, including calls of replaced versions. One window for
-- all keys, because a join with a window for each key costs more than the rest if nothing matches.
SELECT TraceId, StepId, CallKey, Seq, Version, StartTimeUnixNano, EndTimeUnixNano, IsBare, Dialect,
       ModelSteps, ToolSteps, Richness, Answer, Question
FROM call_index
WHERE Project = {project:String} AND CallKey IN JSONExtract({call_keys:String}, 'Array(String)')
      AND EndTimeUnixNano >= {from_ns:UInt64} AND StartTimeUnixNano <= {until_ns:UInt64}
ORDER BY Seq DESC, Version DESC
LIMIT 1 BY CallKey, TraceId, StepId
