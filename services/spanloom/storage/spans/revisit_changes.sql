-- Adds changes that make the extractor find the requests of revisit_traces.sql, as soon as if the traces' roots had
-- just arrived.
INSERT INTO trace_changes (Project, TraceId, Seq, AcceptedAt, HasRoot, Spans, InsertedAt, Bytes)
SELECT key.1, key.2, {seq:UInt64}, now64(9), true, 0, now64(3), 0
FROM (SELECT arrayJoin(JSONExtract({keys:String}, 'Array(Tuple(String, String))')) AS key)
