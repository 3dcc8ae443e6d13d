-- The number of firing ids of each alert; an id fires if its last event does.
SELECT Project, Alert, count() AS Firing
FROM
(
    SELECT Project, Alert, Id, State
    FROM alert_events
    WHERE {reach}
    ORDER BY Project, Id, Number DESC, StoredAt
    LIMIT 1 BY Project, Id
)
WHERE State = 'firing'
GROUP BY Project, Alert
