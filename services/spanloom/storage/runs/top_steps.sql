-- The places of steps in an order by a value of theirs. Only what orders and selects them is read of
-- all steps; step_rows.sql reads the columns of those that are shown.
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
