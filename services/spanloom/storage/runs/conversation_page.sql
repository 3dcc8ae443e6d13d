-- The conversations of some runs, computed from these runs: their totals, their first and last run,
-- and the position of the newest run that matches the filters.
SELECT
    Project, ConversationId,
    {columns},
    min((Place, Question)) AS First,
    max((Place, Status, Outcome, DurationNs, Answer)) AS Last,
    maxIf((Place, UserId), UserId != '') AS LastUser,
    maxIf(Place, {filter}) AS Passing
FROM
(
    SELECT *, (StartTimeUnixNano, TraceId) AS Place
    FROM trajectory_list FINAL
    WHERE {turns}
      AND ConversationId != ''
      AND (Project, StartTimeUnixNano, TraceId) IN (
        SELECT Project, arrayJoin(arrayPushFront(Before, StartTimeUnixNano)), TraceId
        FROM trajectories
        WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
      )
)
GROUP BY Project, ConversationId
