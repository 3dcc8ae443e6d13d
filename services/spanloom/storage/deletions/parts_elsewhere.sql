-- The parts of runs that another trace shows (core/joining), with that trace; earlier versions' too. Of
-- some traces: parts or homes.
SELECT DISTINCT Project, TraceId, StepId AS Home
FROM call_index
WHERE startsWith(CallKey, 'part of ') AND StepId NOT IN ('', TraceId) AND {reach}
  AND ((Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
       OR (Project, StepId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))'))
