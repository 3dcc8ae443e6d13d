-- What tells two reports of one call from two calls: the dialect of a step, and when a call ran. The
-- index has the times too: an agent that hears the same answer every minute has no end of calls alike.

ALTER TABLE steps ADD COLUMN IF NOT EXISTS Dialect LowCardinality(String) COMMENT 'Dialect that classified the step; empty in rows older than this column.' AFTER Name;

CREATE OR REPLACE VIEW v_steps AS
SELECT * EXCEPT (Seq, IsDeleted, CallKey, IsBare) FROM steps FINAL
COMMENT 'Every step of the current trajectories once.';

ALTER TABLE call_index
    ADD COLUMN IF NOT EXISTS StartTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Start of the call in nanoseconds since the epoch.',
    ADD COLUMN IF NOT EXISTS EndTimeUnixNano UInt64 DEFAULT 18446744073709551615 CODEC(Delta, ZSTD(1)) COMMENT 'End of the call in nanoseconds since the epoch; the greatest number in rows older than this column.';

ALTER TABLE call_index_writer MODIFY QUERY
SELECT Project, CallKey, TraceId, StepId, StartTimeUnixNano, EndTimeUnixNano, UpdatedAt
FROM steps
WHERE CallKey != '' AND NOT IsDeleted;
