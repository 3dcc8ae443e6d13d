-- Statistics of groups of runs, or of groups of their steps, in the current versions of the runs.
SELECT {shown}
FROM trajectory_list FINAL
{steps}
WHERE {reach}
  AND {filter}
  AND {alive}
{grouped}
ORDER BY {order}
LIMIT {most:UInt64}
