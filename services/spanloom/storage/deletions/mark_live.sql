-- Makes the progress of traces unfinished, of those that have any.
INSERT INTO extraction_progress (Project, TraceId, Seq, Status, Attempts, Arrived, Error)
SELECT Project, TraceId, Seq, 'live', Attempts, Arrived, Error
FROM extraction_progress FINAL
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
