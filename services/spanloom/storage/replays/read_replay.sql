-- One replay, if its selection is within reach.
SELECT Id, EveryProject, Projects, StartFromUnixNano, StartBeforeUnixNano, Dialect, OtherThan, Total, Step, Done,
       Written, Failed, AfterProject, AfterTraceId, IsFinished
FROM replays FINAL
WHERE {reach}
  AND Id = {id:String}
