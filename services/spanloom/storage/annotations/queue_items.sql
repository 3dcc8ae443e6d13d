-- The items of a queue, ordered by position; for each trace only its first position.
SELECT {columns}
FROM
(
    SELECT * REPLACE (max(IsGold) OVER (PARTITION BY TraceId) AS IsGold)
    FROM annotation_queue_items
    WHERE Project = {project:String} AND Queue = {queue:String}
)
ORDER BY Place, TraceId
LIMIT 1 BY TraceId
