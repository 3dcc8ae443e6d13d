-- Adds a request without spans to each trace that has to be built again although nothing arrived. The sequence is from
-- the clock of the store, so that it differs from those of earlier revisits.
INSERT INTO trace_requests (Project, TraceId, Seq, Mark, AcceptedAt)
SELECT key.1, key.2, {seq:UInt64}, {mark:UInt64}, now64(9)
FROM (SELECT arrayJoin(JSONExtract({keys:String}, 'Array(Tuple(String, String))')) AS key)
