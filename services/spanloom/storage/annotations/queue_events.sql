-- The events of all items of a queue, oldest first.
SELECT DISTINCT TraceId, Annotator, AtUnixMicro, Event
FROM annotation_queue_events
WHERE Project = {project:String} AND Queue = {queue:String}
ORDER BY AtUnixMicro, TraceId, Annotator, Event
