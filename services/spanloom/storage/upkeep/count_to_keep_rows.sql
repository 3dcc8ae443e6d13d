-- How many rows of a table belong to annotated trajectories and are not marked.
SELECT count()
FROM {table:Identifier}
WHERE NOT IsKept AND (Project, TraceId) IN (SELECT Project, TraceId FROM annotations)
