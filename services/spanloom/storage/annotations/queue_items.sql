-- The items of a queue, by position; for each trace its first position.
SELECT TraceId, min(annotation_queue_items.Place) AS Place, argMin(annotation_queue_items.Version, annotation_queue_items.Place) AS Version,
       argMin(annotation_queue_items.Failures, annotation_queue_items.Place) AS Failures, max(annotation_queue_items.IsGold) AS IsGold
FROM annotation_queue_items
WHERE Project = {project:String} AND Queue = {queue:String}
GROUP BY TraceId
ORDER BY Place, TraceId
