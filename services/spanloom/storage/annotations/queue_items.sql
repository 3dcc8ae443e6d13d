-- What is in a queue, in the order of places; of one trace the first place.
SELECT TraceId, min(annotation_queue_items.Place) AS Place, argMin(annotation_queue_items.Version, annotation_queue_items.Place) AS Version
FROM annotation_queue_items
WHERE Project = {project:String} AND Queue = {queue:String}
  -- Readers can set no filter: the deleted ones are looked for by key, among those there are.
  AND (Project, TraceId) NOT IN (SELECT Project, TraceId FROM deleted_traces
      WHERE (Project, TraceId) IN (SELECT Project, TraceId FROM annotation_queue_items WHERE Project = {project:String} AND Queue = {queue:String}))
GROUP BY TraceId
ORDER BY Place, TraceId
