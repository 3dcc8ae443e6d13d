-- Records that a replay is finished, if all its parts are; repeated, it changes nothing.
INSERT INTO replays (Id, EveryProject, Projects, StartFromUnixNano, StartBeforeUnixNano, Dialect, OtherThan, Total,
    Step, Done, Written, Failed, AfterProject, AfterTraceId, IsFinished)
SELECT Id, EveryProject, Projects, StartFromUnixNano, StartBeforeUnixNano, Dialect, OtherThan, Total,
       Step + 1, Done, Written, Failed, AfterProject, AfterTraceId, true
FROM replays FINAL
WHERE Id = {id:String}
  AND NOT IsFinished
  AND (SELECT count() FROM replay_parts FINAL WHERE Id = {id:String} AND IsFinished) = {parts:UInt16}
