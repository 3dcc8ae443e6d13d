ALTER TABLE {table:Identifier}
DELETE WHERE (Project, TraceId) IN (SELECT Project, TraceId FROM deleted_traces)
