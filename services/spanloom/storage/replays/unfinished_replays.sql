-- The replays within reach that are not finished, oldest first.
SELECT Id, EveryProject, Projects, StartFromUnixNano, StartBeforeUnixNano, Dialect, OtherThan, Total, Step, Done,
       Written, Failed, AfterProject, AfterTraceId, IsFinished
FROM replays FINAL
WHERE {reach}
  AND NOT IsFinished
ORDER BY Id
