-- Traces to build again because of traces whose deletion has not ended: homes that showed a deleted trace as a part
-- of their run (core/joining), and duplicates or parts of a deleted trace.
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
