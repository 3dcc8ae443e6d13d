-- The number of rows of a table that belong to annotated trajectories and are not flagged as kept.
SELECT count()
FROM {table:Identifier}
WHERE NOT IsKept AND (Project, TraceId) IN (SELECT Project, TraceId FROM annotations)
