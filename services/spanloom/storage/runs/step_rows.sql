-- Steps of some versions of trajectories, in the columns of records; a step written twice is returned once.
SELECT
    {columns},
    StartTimeUnixNano, TraceId, Project
FROM (
    SELECT *, `Steps.Owner`
    FROM trajectory_list
    WHERE (Project, StartTimeUnixNano, TraceId, Seq, Version)
          IN JSONExtract({versions:String}, 'Array(Tuple(String, UInt64, String, UInt64, UInt32))')
    LIMIT 1 BY Project, TraceId
)
ARRAY JOIN {items}
WHERE {steps}
ORDER BY {order}
LIMIT {most:UInt64}
