-- Scores of trajectories and steps, by people and by evaluators: one table for dashboards, filters and judges.
-- What annotators say comes in by the view. Of one score the highest revision counts.

CREATE TABLE IF NOT EXISTS scores
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id; empty of a conversation or an item.',
    ScoreId String CODEC(ZSTD(1)) COMMENT 'Of project, target, name, source, author, experiment, item and repeat: the same again is a revision.',
    Revision UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'The highest counts; microseconds since the epoch.',
    Target LowCardinality(String) COMMENT 'trajectory, step, span, conversation or item.',
    StepId String CODEC(ZSTD(1)) COMMENT 'Step or span id of a target that is one.',
    ConversationId String CODEC(ZSTD(1)) COMMENT 'Of a conversation.',
    Name LowCardinality(String) COMMENT 'What was scored: scheme or metric.',
    Source LowCardinality(String) COMMENT 'human, adjudication, model, rule, import, llm, code or api.',
    Author LowCardinality(String) COMMENT 'Annotator, or evaluator.',
    JudgedVersion UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory that it was made on; 0: unknown.',
    StepHash String CODEC(ZSTD(1)) COMMENT 'Fingerprint of what was judged.',
    ValueType LowCardinality(String) COMMENT 'number, boolean, category, text or none.',
    ValueNumber Nullable(Float64) CODEC(ZSTD(1)) COMMENT 'The number; 0 or 1 of a boolean.',
    ValueText String CODEC(ZSTD(1)) COMMENT 'The category or text.',
    Passed Nullable(Bool) COMMENT 'Whether it is good enough, where somebody says so.',
    IsComplete Bool DEFAULT true COMMENT 'Whether nothing is missing from it, such as steps that nobody judged.',
    Status LowCardinality(String) DEFAULT 'ok' COMMENT 'ok, na or error.',
    ErrorCode LowCardinality(String) COMMENT 'Of an error.',
    Rationale String CODEC(ZSTD(1)) COMMENT 'Why.',
    Evidence String CODEC(ZSTD(1)) COMMENT 'JSON of what shows it.',
    EvaluatorVersion LowCardinality(String) COMMENT 'Of an evaluator.',
    ConfigHash String CODEC(ZSTD(1)) COMMENT 'Of its configuration; of the text of a scheme.',
    RuleId String CODEC(ZSTD(1)) COMMENT 'The online rule that asked for it.',
    Experiment String CODEC(ZSTD(1)) COMMENT 'The experiment that it belongs to.',
    Item String CODEC(ZSTD(1)) COMMENT 'Key of the item of its set.',
    Repeat UInt32 CODEC(ZSTD(1)) COMMENT 'Which repeat, from 0.',
    InputTokens UInt64 CODEC(ZSTD(1)) COMMENT 'That making it took.',
    OutputTokens UInt64 CODEC(ZSTD(1)) COMMENT 'That making it took.',
    Cost Nullable(Float64) CODEC(ZSTD(1)) COMMENT 'What making it cost, in US dollars.',
    IsDeleted Bool COMMENT 'Taken back.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, ScoreId, Revision)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Scores and labels, every revision. Retention does not empty it.';

CREATE MATERIALIZED VIEW IF NOT EXISTS annotation_scores_writer TO scores AS
SELECT Project, TraceId,
       substring(lower(hex(SHA256(arrayStringConcat([toString(Project), if(StepId = '', 'trajectory', 'step'), TraceId, StepId,
           concat(toString(Scheme), if(StepId = '', '/answer', '')), toString(Origin), toString(Annotator), '', '', '0'], '\0')))), 1, 32) AS ScoreId,
       AtUnixMicro AS Revision, if(StepId = '', 'trajectory', 'step') AS Target, StepId,
       concat(toString(Scheme), if(StepId = '', '/answer', '')) AS Name, Origin AS Source, Annotator AS Author,
       Version AS JudgedVersion, StepHash, if(StepId = '', 'text', 'category') AS ValueType,
       if(StepId = '', NULL, -Penalty) AS ValueNumber, if(StepId = '', Value, toString(Correctness)) AS ValueText,
       Rationale, SchemeHash AS ConfigHash, IsDeleted
FROM annotations;

CREATE VIEW IF NOT EXISTS v_scores AS
SELECT * EXCEPT (IsDeleted)
FROM
(
    SELECT *
    FROM scores
    ORDER BY Project, TraceId, ScoreId, Revision DESC
    LIMIT 1 BY Project, TraceId, ScoreId
)
WHERE NOT IsDeleted
COMMENT 'Every score once, by people and by evaluators; what blind queues withhold is not there.';
