-- The span version, the version and the position of some trajectories.
SELECT Project, TraceId, newest.1 AS Seq, newest.2 AS Version, newest.3 AS StartTimeUnixNano
FROM
(
    SELECT Project, TraceId, max((Seq, Version, StartTimeUnixNano)) AS newest
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
)
