-- Rows that may be on the page: any version of a trajectory that passes the filters. Without FINAL, so
-- that it stops early; newest_versions.sql says which of them are current. Of several at one place the
-- newest comes first, so that the limit never parts it from the place.
SELECT {columns}, Seq, {rank} AS Rank
FROM trajectory_list
WHERE {reach}
  AND {filter}
  AND {behind}
  AND NOT IsDeleted
ORDER BY {order}, Seq DESC, Version DESC
LIMIT {most:UInt64}
