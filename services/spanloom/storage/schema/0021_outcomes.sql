-- How a run went; rows older than these columns knew only whether any step had failed. And names of
-- agents in the order in which they began, where they used to be sorted.

ALTER TABLE trajectories
    ADD COLUMN IF NOT EXISTS Outcome LowCardinality(String) DEFAULT if(HasError, 'failed', 'ok') COMMENT 'ok, recovered (what failed was got over), paused (waits for a person) or failed.' AFTER HasError,
    ADD COLUMN IF NOT EXISTS Failures UInt32 CODEC(ZSTD(1)) COMMENT 'How many failures there were, each where it happened; 0 in rows older than this column.' AFTER Outcome,
    COMMENT COLUMN HasError 'Whether anything failed that the run did not get over.',
    COMMENT COLUMN AgentNames 'Names of the agents, in the order in which they began.';

ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS Outcome LowCardinality(String) DEFAULT if(HasError, 'failed', 'ok') COMMENT 'ok, recovered (what failed was got over), paused (waits for a person) or failed.' AFTER HasError,
    ADD COLUMN IF NOT EXISTS Failures UInt32 CODEC(ZSTD(1)) COMMENT 'How many failures there were, each where it happened; 0 in rows older than this column.' AFTER Outcome,
    COMMENT COLUMN HasError 'Whether anything failed that the run did not get over.',
    COMMENT COLUMN AgentNames 'Names of the agents, in the order in which they began.';

ALTER TABLE steps ADD COLUMN IF NOT EXISTS ErrorType LowCardinality(String) COMMENT 'Name of the exception, or another word for what went wrong; empty where nothing tells.' AFTER ErrorCode;

-- A view has the columns that its tables had when it was made.
CREATE OR REPLACE VIEW v_trajectories AS
SELECT * EXCEPT (Seq, Fingerprint, StepIds, SpansDocument) FROM trajectories FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';

CREATE OR REPLACE VIEW v_steps AS
SELECT * EXCEPT (Seq, IsDeleted, CallKey, IsBare) FROM steps FINAL
COMMENT 'Every step of the current trajectories once.';
