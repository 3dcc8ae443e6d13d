-- The newest stored build of some traces.
SELECT Project, TraceId, newest.1 AS Seq, newest.2 AS Version, newest.3 AS Fingerprint, newest.4 AS ReadMark,
       newest.5 AS Status, newest.6 AS ExtractorVersion
FROM
(
    SELECT Project, TraceId, max((Seq, Version, Fingerprint, ReadMark, Status, ExtractorVersion)) AS newest
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
)
