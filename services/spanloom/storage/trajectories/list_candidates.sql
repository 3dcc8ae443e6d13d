-- Keys that may be on the page: any version of the row passes the filters. Without FINAL, so
-- that it stops early; list_page.sql looks at the current versions of these keys.
SELECT Project, StartTimeUnixNano, TraceId
FROM trajectory_list
WHERE {reach}
  AND {filter}
  AND ({after_start_ns:Nullable(UInt64)} IS NULL
       OR (StartTimeUnixNano <= {after_start_ns:Nullable(UInt64)}
           AND (StartTimeUnixNano, TraceId, Project)
               < (assumeNotNull({after_start_ns:Nullable(UInt64)}), {after_trace_id:String}, {after_project:String})))
  AND NOT IsDeleted
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC
LIMIT {most:UInt64}
