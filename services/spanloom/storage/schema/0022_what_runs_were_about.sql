-- What a run was about and around what: its question and answer, and what senders tell of it. Rows
-- older than these columns have them empty until `spanloom replay --outdated`.

ALTER TABLE otel_traces
    ADD COLUMN IF NOT EXISTS Environment LowCardinality(String) MATERIALIZED if(ResourceAttributes['deployment.environment.name'] != '', ResourceAttributes['deployment.environment.name'], ResourceAttributes['deployment.environment']) COMMENT 'Resource attribute deployment.environment.name, or its old name deployment.environment.' AFTER ServiceName;

ALTER TABLE trajectories
    ADD COLUMN IF NOT EXISTS Question String CODEC(ZSTD(1)) COMMENT 'What was asked, one line of at most 200 characters.' AFTER ConversationId,
    ADD COLUMN IF NOT EXISTS Answer String CODEC(ZSTD(1)) COMMENT 'What was answered, one line of at most 200 characters.' AFTER Question,
    ADD COLUMN IF NOT EXISTS Services Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Services that sent spans.' AFTER Answer,
    ADD COLUMN IF NOT EXISTS Environment LowCardinality(String) COMMENT 'Where it ran, as the sender says: production.' AFTER Services,
    ADD COLUMN IF NOT EXISTS UserId String CODEC(ZSTD(1)) COMMENT 'For whom it ran, as the sender says; empty where it names none, or several.' AFTER Environment,
    ADD COLUMN IF NOT EXISTS Tags Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Tags of the sender, sorted.' AFTER UserId;

ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS Question String CODEC(ZSTD(1)) COMMENT 'What was asked, one line of at most 200 characters.' AFTER ConversationId,
    ADD COLUMN IF NOT EXISTS Answer String CODEC(ZSTD(1)) COMMENT 'What was answered, one line of at most 200 characters.' AFTER Question,
    ADD COLUMN IF NOT EXISTS Services Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Services that sent spans.' AFTER Answer,
    ADD COLUMN IF NOT EXISTS Environment LowCardinality(String) COMMENT 'Where it ran, as the sender says: production.' AFTER Services,
    ADD COLUMN IF NOT EXISTS UserId String CODEC(ZSTD(1)) COMMENT 'For whom it ran, as the sender says; empty where it names none, or several.' AFTER Environment,
    ADD COLUMN IF NOT EXISTS Tags Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Tags of the sender, sorted.' AFTER UserId,
    ADD COLUMN IF NOT EXISTS Models Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Models that were called, sorted.' AFTER Tags;

-- A view has the columns that its tables had when it was made.
CREATE OR REPLACE VIEW v_trajectories AS
SELECT * EXCEPT (Seq, Fingerprint, StepIds, SpansDocument) FROM trajectories FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';
