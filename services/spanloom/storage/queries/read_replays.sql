-- Replays, oldest first: one of them, or those that are not finished.
SELECT Id, Project, StartFromUnixNano, StartBeforeUnixNano, Dialect, OtherThan, Total, Step, Done,
       Written, Failed, AfterProject, AfterTraceId, IsFinished
FROM replays FINAL
WHERE if({id:String} = '', NOT IsFinished, Id = {id:String})
ORDER BY Id
