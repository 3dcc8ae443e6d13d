-- The last events of ids that still fire although their runs are deleted.
SELECT {columns}
FROM
(
    SELECT {columns}
    FROM alert_events
    WHERE (Project, TraceId) IN (SELECT Project, TraceId FROM deleted_traces)
    ORDER BY Project, Id, Number DESC, StoredAt
    LIMIT 1 BY Project, Id
)
WHERE State = 'firing'
LIMIT {limit:UInt64}
