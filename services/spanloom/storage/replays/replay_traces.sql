-- The next stored traces of a selection, in the order of keys.
SELECT Project, TraceId, Status, SpanCount
FROM trajectories FINAL
WHERE {reach}
  AND Project >= {after_project:String}
  AND (Project > {after_project:String} OR TraceId > {after_trace_id:String})
  AND ({start_from_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano >= {start_from_ns:Nullable(UInt64)})
  AND ({start_before_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano < {start_before_ns:Nullable(UInt64)})
  AND ({dialect:Nullable(String)} IS NULL OR has(Dialects, {dialect:Nullable(String)}))
  AND ({other_than:Nullable(String)} IS NULL OR ExtractorVersion != {other_than:Nullable(String)})
  AND {shared}
ORDER BY Project, TraceId
LIMIT {limit:UInt64}
