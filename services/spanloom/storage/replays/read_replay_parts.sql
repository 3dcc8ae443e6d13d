-- The progress of the parts of some replays.
SELECT Id, Part, Step, Done, Written, Failed, AfterProject, AfterTraceId, IsFinished
FROM replay_parts FINAL
WHERE Id IN JSONExtract({ids:String}, 'Array(String)')
ORDER BY Id, Part
