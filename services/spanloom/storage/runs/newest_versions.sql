-- The span version that went into each of some trajectories, their own version, and where they stand.
SELECT Project, TraceId, newest.1 AS Seq, newest.2 AS Version, newest.3 AS StartTimeUnixNano
FROM
(
    SELECT Project, TraceId, max((Seq, Version, StartTimeUnixNano)) AS newest
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
)
