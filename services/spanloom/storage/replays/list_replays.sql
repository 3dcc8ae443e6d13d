-- The replays within reach after a position, newest first.
SELECT Id, EveryProject, Projects, StartFromUnixNano, StartBeforeUnixNano, Dialect, OtherThan, Total, Step, Done,
       Written, Failed, AfterProject, AfterTraceId, IsFinished
FROM replays FINAL
WHERE {reach}
  AND Id < {before:String}
ORDER BY Id DESC
LIMIT {limit:UInt64}
