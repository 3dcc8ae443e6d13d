-- The conversations of some runs, each told whole if all its runs are among them, and where the
-- newest of those that pass the filters stands.
SELECT
    Project, ConversationId,
    count() AS Runs,
    min(Place) AS First,
    argMin(Question, Place) AS FirstQuestion,
    argMaxIf(UserId, Place, UserId != '') AS LastUserId,
    sum(InputTokens) AS AllInputTokens,
    sum(OutputTokens) AS AllOutputTokens,
    max(Place) AS Last,
    argMax((Status, Outcome, DurationNs, Answer), Place) AS HowLast,
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
HAVING countIf({filter}) > 0
