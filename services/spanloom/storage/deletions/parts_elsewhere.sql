-- The parts of runs that another trace shows (core/joining), with that trace; earlier versions' too.
SELECT DISTINCT Project, TraceId, StepId AS Home
FROM call_index
WHERE startsWith(CallKey, 'part of ') AND StepId NOT IN ('', TraceId) AND {reach}
