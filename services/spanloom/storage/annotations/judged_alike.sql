-- Agreement on the items of a queue: for each trace, the number of steps that two or more people judged, and how many
-- of these steps they judged alike.
SELECT TraceId, count() AS Shared, countIf(Different = 1) AS Same
FROM
(
    SELECT TraceId, StepId, uniqExact(Said) AS Different
    FROM
    (
        SELECT TraceId, StepId, IsDeleted, Origin,
               if(StepId = '', concat(JSONExtractString(Value, 'decisive_step'), JSONExtractString(Value, 'responsible_agent')),
                   toString(Correctness)) AS Said
        FROM annotations
        WHERE Project = {project:String} AND Scheme = {scheme:String}
          AND TraceId IN (SELECT TraceId FROM annotation_queue_items WHERE Project = {project:String} AND Queue = {queue:String})
        ORDER BY TraceId, Annotator, StepId, Revision DESC, AtUnixMicro DESC, WriteId DESC
        LIMIT 1 BY TraceId, Annotator, StepId
    )
    WHERE NOT IsDeleted AND Said != '' AND Origin IN ('human', 'import')
    GROUP BY TraceId, StepId
    HAVING count() > 1
)
GROUP BY TraceId
ORDER BY TraceId
