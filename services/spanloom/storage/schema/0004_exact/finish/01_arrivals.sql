-- The requests that INSERTs of the release before brought while the views of 02_requests.sql were made.
-- Repeated, it inserts only those that are missing.
INSERT INTO trace_requests (Project, TraceId, Seq, Spans, AcceptedAt)
SELECT Project, TraceId, Seq, Spans, AcceptedAt
FROM trace_changes
WHERE InsertedAt >= (SELECT min(UpdatedAt) - toIntervalHour(1) FROM store_facts WHERE Name = 'id')
  AND sipHash64(Project, TraceId, Seq) NOT IN
  (
      SELECT sipHash64(Project, TraceId, Seq)
      FROM trace_requests
      WHERE (Project, TraceId) IN
      (
          SELECT Project, TraceId
          FROM trace_changes
          WHERE InsertedAt >= (SELECT min(UpdatedAt) - toIntervalHour(1) FROM store_facts WHERE Name = 'id')
      )
  );

-- What no release reads any more.
DROP VIEW IF EXISTS trace_arrivals_writer;

DROP TABLE IF EXISTS trace_arrivals;
