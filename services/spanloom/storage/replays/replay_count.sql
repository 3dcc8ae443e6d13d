-- The number of stored traces of a selection.
SELECT count()
FROM trajectories FINAL
WHERE {reach}
  AND ({start_from_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano >= {start_from_ns:Nullable(UInt64)})
  AND ({start_before_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano < {start_before_ns:Nullable(UInt64)})
  AND ({dialect:Nullable(String)} IS NULL OR has(Dialects, {dialect:Nullable(String)}))
  AND ({other_than:Nullable(String)} IS NULL OR ExtractorVersion != {other_than:Nullable(String)})
