-- What no release reads any more, and the requests that INSERTs of the release before brought while the
-- views of 02_requests.sql were made.
-- Repeated, it inserts only those that are missing.
INSERT INTO trace_requests (Project, TraceId, Seq, Spans, AcceptedAt)
SELECT Project, TraceId, Seq, Spans, AcceptedAt
FROM trace_changes
WHERE sipHash64(Project, TraceId, Seq) NOT IN (SELECT sipHash64(Project, TraceId, Seq) FROM trace_requests);

DROP VIEW IF EXISTS trace_arrivals_writer;

DROP TABLE IF EXISTS trace_arrivals;
