-- The last event of each group, for each version of the alerts on metrics (which have no trace).
SELECT {columns}
FROM alert_events
WHERE {reach} AND TraceId = ''
ORDER BY Project, Alert, AlertVersion, GroupKey, Episode DESC, Number DESC, StoredAt
LIMIT 1 BY Project, Alert, AlertVersion, GroupKey
