-- Statistics of groups of runs, or with {steps} of their steps, in their current versions.
SELECT {shown}
FROM trajectory_list FINAL
{steps}
WHERE {reach}
  AND {filter}
  AND {alive}
{grouped}
ORDER BY {order}
LIMIT {most:UInt64}
