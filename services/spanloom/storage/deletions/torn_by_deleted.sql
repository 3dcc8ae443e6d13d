-- The traces that showed parts of runs (core/joining) that are deleted and not removed yet, and those that
-- are stored as repeats of deleted ones, or parts of runs that these showed.
SELECT DISTINCT Project, StepId AS Torn
FROM call_index
WHERE startsWith(CallKey, 'part of ') AND StepId NOT IN ('', TraceId)
  AND (Project, TraceId) IN (SELECT Project, TraceId FROM deleted_traces)
  AND (Project, StepId) NOT IN (SELECT Project, TraceId FROM deleted_traces)
UNION DISTINCT
SELECT Project, TraceId AS Torn
FROM trajectory_list FINAL
WHERE DuplicateOf != '' AND (Project, DuplicateOf) IN (SELECT Project, TraceId FROM deleted_traces)
  AND (Project, TraceId) NOT IN (SELECT Project, TraceId FROM deleted_traces)
