-- Which dialect told of a step: two reports of one call, each a trace of its own, come from two.

ALTER TABLE steps ADD COLUMN IF NOT EXISTS Dialect LowCardinality(String) COMMENT 'Dialect that classified the step; empty in rows older than this column.' AFTER Name;

CREATE OR REPLACE VIEW v_steps AS
SELECT * EXCEPT (Seq, IsDeleted, CallKey, IsBare) FROM steps FINAL
COMMENT 'Every step of the current trajectories once.';
