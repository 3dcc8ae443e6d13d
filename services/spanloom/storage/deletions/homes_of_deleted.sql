-- The traces that showed parts of runs (core/joining) that are deleted and not removed yet.
SELECT DISTINCT Project, StepId AS Home
FROM call_index
WHERE startsWith(CallKey, 'part of ') AND StepId NOT IN ('', TraceId)
  AND (Project, TraceId) IN (SELECT Project, TraceId FROM deleted_traces)
  AND (Project, StepId) NOT IN (SELECT Project, TraceId FROM deleted_traces)
