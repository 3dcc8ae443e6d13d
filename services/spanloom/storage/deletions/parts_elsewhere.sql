-- Traces that the home trace of their run shows (core/joining), now or in an earlier version, each with this home.
-- Only traces that are given, or whose home is given.
SELECT DISTINCT Project, TraceId, StepId AS Home
FROM call_index
WHERE startsWith(CallKey, 'part of ') AND StepId NOT IN ('', TraceId) AND {reach}
  AND ((Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
       OR (Project, StepId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))'))
