-- The texts that are in the current versions of their runs, each with the position of its step.
SELECT Project, StartTimeUnixNano AS TrajectoryStart, TraceId, asked.4 AS Hash, indexOf(Hashes, Hash) AS Position
FROM
(
    SELECT arrayJoin(JSONExtract({asked:String}, 'Array(Tuple(String, UInt64, String, UInt64))')) AS asked
) AS candidates
INNER JOIN
(
    SELECT Project, StartTimeUnixNano, TraceId, `Steps.Text` AS Hashes
    FROM trajectory_list FINAL
    WHERE DuplicateOf = ''
      AND (Project, StartTimeUnixNano, TraceId) IN (
        SELECT Project, arrayJoin(arrayPushFront(Before, StartTimeUnixNano)), TraceId
        FROM trajectories
        WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
      )
) AS runs
    ON asked.1 = Project AND asked.2 = StartTimeUnixNano AND asked.3 = TraceId
WHERE Position > 0
