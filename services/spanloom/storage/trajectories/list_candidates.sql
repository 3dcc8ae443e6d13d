-- Keys that may be on the page: any version of the row passes the filters. Without FINAL, so
-- that it stops early; list_page.sql looks at the current versions of these keys.
SELECT Project, StartTimeUnixNano, TraceId, {rank} AS Rank
FROM trajectory_list
WHERE {reach}
  AND {filter}
  AND {behind}
  AND NOT IsDeleted
ORDER BY {order}
LIMIT {most:UInt64}
