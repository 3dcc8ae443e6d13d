-- Their changes, by which the extractor finds them, as soon as if their root had come now.
INSERT INTO trace_changes (Project, TraceId, Seq, AcceptedAt, HasRoot, Spans, InsertedAt, Bytes)
SELECT key.1, key.2, {seq:UInt64}, now64(9), true, 0, now64(3), 0
FROM (SELECT arrayJoin(JSONExtract({keys:String}, 'Array(Tuple(String, String))')) AS key)
