-- The number of unmarked rows of a table that belong to annotated trajectories.
SELECT count()
FROM {table:Identifier}
WHERE NOT IsKept AND (Project, TraceId) IN (SELECT Project, TraceId FROM annotations)
