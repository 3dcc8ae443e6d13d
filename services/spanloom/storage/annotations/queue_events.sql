-- The events of all items of a queue, or of one, oldest first.
SELECT DISTINCT TraceId, Annotator, AtUnixMicro, Event
FROM annotation_queue_events
WHERE Project = {project:String} AND Queue = {queue:String}
  AND ({trace_id:Nullable(String)} IS NULL OR TraceId = {trace_id:Nullable(String)})
ORDER BY AtUnixMicro, TraceId, Annotator, Event
