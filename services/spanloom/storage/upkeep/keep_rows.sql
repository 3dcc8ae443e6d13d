ALTER TABLE {table:Identifier}
UPDATE IsKept = true WHERE NOT IsKept AND (Project, TraceId) IN (SELECT Project, TraceId FROM annotations)
