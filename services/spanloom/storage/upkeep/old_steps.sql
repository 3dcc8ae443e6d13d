-- The steps of some trajectories, as they stood before they became arrays.
SELECT Project, TraceId, StepId, AgentId, ParentId, Type, Name, Dialect, StartTimeUnixNano, EndTimeUnixNano,
       Model, InputTokens, OutputTokens, ReasoningTokens, CacheReadTokens, CacheCreationTokens, FirstTokenMs,
       HasError, ErrorCode, ErrorType, ErrorMessage, Input, CallKey, IsBare, Richness
FROM steps FINAL
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Project, TraceId
