-- The newest definition of each queue.
SELECT Project, Name, AtUnixMicro, Definition
FROM annotation_queues FINAL
WHERE {reach}
  AND ({of_name:String} = '' OR Name = {of_name:String})
ORDER BY Project, Name
