-- The rank and the version of the current builds of some trajectories.
SELECT Project, TraceId, newest.1 AS Seq, newest.2 AS Version
FROM
(
    SELECT Project, TraceId, max((Seq, Version)) AS newest
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
)
