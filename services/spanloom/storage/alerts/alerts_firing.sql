-- How many ids fire of each alert.
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
