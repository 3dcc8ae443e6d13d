-- A heartbeat, or the last row, of a process: one row for each kind of work that it does.
INSERT INTO workers (Id, Kind, Release, Started, IsOver)
SELECT {id:String}, arrayJoin(splitByChar(',', {kinds:String})), {release:String},
       now64(3) - toIntervalMillisecond({age_ms:UInt64}), {is_over:UInt8}
