-- Candidates for the page: any version of a trajectory that matches the filters. Without FINAL, so
-- that it stops early; newest_versions.sql selects the current ones. At one position the newest
-- version comes first, so that the limit never cuts it off.
SELECT {columns}, Seq, {rank} AS Rank
FROM trajectory_list
WHERE {reach}
  AND {filter}
  AND {later}
  AND NOT IsDeleted
ORDER BY {order}, Seq DESC, Version DESC
LIMIT {most:UInt64}
