-- The positions of steps, ordered by one of their values. Only the columns that order and select steps are read for all
-- steps; step_rows.sql reads the columns of the steps that are shown.
SELECT Project, StartTimeUnixNano, TraceId, Seq, Version, StepPlace, {rank} AS Rank
FROM trajectory_list FINAL
ARRAY JOIN {items}
WHERE {reach}
  AND {filter}
  AND {alive}
  AND {steps}
  AND {later}
ORDER BY {order}
LIMIT {most:UInt64}
