-- The number of rows of a table that belong to deleted traces.
SELECT count()
FROM {table:Identifier}
WHERE (Project, TraceId) IN (SELECT Project, TraceId FROM deleted_traces)
