-- The conversations of some runs, as far as these runs tell: what they add up to, the first and the
-- last of them, and where the newest of those that pass the filters stands.
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
        -- A row left by a writer that was overtaken has another start than the trajectory.
        SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
        FROM trajectories
        WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
        GROUP BY Project, TraceId
      )
)
GROUP BY Project, ConversationId
