-- The last event of each id that is about one of some traces; if a number is stored twice, the first counts.
SELECT {columns}
FROM alert_events
WHERE (Project, TraceId) IN JSONExtract({traces:String}, 'Array(Tuple(String, String))')
ORDER BY Project, Id, Number DESC, StoredAt
LIMIT 1 BY Project, Id
