-- Traces that got nothing, and have to be built again: a request that brought no spans. Its sequence is
-- that of the store's clock, so that it is another one than those of earlier revisits.
INSERT INTO trace_requests (Project, TraceId, Seq, Mark, AcceptedAt)
SELECT key.1, key.2, {seq:UInt64}, {mark:UInt64}, now64(9)
FROM (SELECT arrayJoin(JSONExtract({keys:String}, 'Array(Tuple(String, String))')) AS key)
