-- What annotators say of steps and of whole trajectories. Rows are only added: of one annotator's rows on
-- one step the highest revision counts, and undoing or taking back is a revision too. The tables themselves are
-- read by no statement from outside, and of the views blind queues withhold what they withhold elsewhere.

CREATE TABLE IF NOT EXISTS annotations
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Scheme LowCardinality(String) COMMENT 'Name of the annotation scheme.',
    Annotator LowCardinality(String) COMMENT 'Who said it; a model or a rule may be one too, see Origin.',
    StepId String CODEC(ZSTD(1)) COMMENT 'Step id; empty: of the trajectory as a whole.',
    Revision UInt32 CODEC(ZSTD(1)) COMMENT 'Counts the rows of this annotator on this step from 1.',
    WriteId String CODEC(ZSTD(1)) COMMENT 'Given by the client; the same write sent again is the same row.',
    BaseRevision UInt32 CODEC(ZSTD(1)) COMMENT 'What the client had seen; other than Revision - 1: edits of two windows, joined.',
    AtUnixMicro UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'When it was accepted, in microseconds since the epoch.',
    Origin LowCardinality(String) COMMENT 'human, adjudication, model, rule or import.',
    UndoGroup String CODEC(ZSTD(1)) COMMENT 'What is undone together has the same.',
    IsDeleted Bool COMMENT 'Taken back.',
    SchemeHash LowCardinality(String) COMMENT 'Which text of the scheme it was made with, see annotation_schemes.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory that was on the screen.',
    StepHash String CODEC(ZSTD(1)) COMMENT 'Of type, name, input, output and error of the step then; empty: not kept.',
    AnchorAgent String CODEC(ZSTD(1)) COMMENT 'Agent step under which it stood.',
    AnchorOrdinal UInt32 CODEC(ZSTD(1)) COMMENT 'Its place, from 1, among steps of that agent with the same hash.',
    AnchorType LowCardinality(String) COMMENT 'Type of the step.',
    AnchorAgentName LowCardinality(String) COMMENT 'Name of that agent.',
    AnchorQuote String CODEC(ZSTD(1)) COMMENT 'Name and beginning of the step, for people, should it vanish.',
    Correctness LowCardinality(String) COMMENT 'One of the options of the scheme, or empty.',
    ErrorType LowCardinality(String) COMMENT 'One of its error types, or empty.',
    ErrorSubtype LowCardinality(String) COMMENT 'One of the subtypes of that, or empty.',
    Severity LowCardinality(String) COMMENT 'One of its severities, or empty.',
    Penalty Float64 CODEC(ZSTD(1)) COMMENT 'What the severity took off the score; 0 on a correct step.',
    Rationale String CODEC(ZSTD(1)) COMMENT 'Why.',
    Value String CODEC(ZSTD(1)) COMMENT 'JSON object of what else was said, and of unknown keys of an import.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, Scheme, Annotator, StepId, Revision, WriteId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Annotations of steps and trajectories, every revision. Retention does not empty it.';

CREATE TABLE IF NOT EXISTS annotation_schemes
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Name String COMMENT 'Name of the scheme.',
    Hash String COMMENT 'Identifies the text.',
    AtUnixMicro UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'When it was put; of one name the newest is used.',
    PutBy String COMMENT 'Who put it.',
    Text String CODEC(ZSTD(1)) COMMENT 'YAML or JSON, as it was given.'
)
ENGINE = ReplacingMergeTree(AtUnixMicro)
ORDER BY (Project, Name, Hash)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Every text that a scheme ever had: a changed one does not change what was said with the old.';

CREATE TABLE IF NOT EXISTS trajectory_snapshots
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory.',
    Hash String CODEC(ZSTD(1)) COMMENT 'Of the document but for its version: two versions may say the same.',
    AtUnixMicro UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'When it was kept, in microseconds since the epoch.',
    Document String CODEC(ZSTD(3)) COMMENT 'The canonical JSON document; empty where another version of the same hash has it.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, Version)
SETTINGS index_granularity = 128, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Documents as they were annotated; trajectories has only the current ones.';

CREATE VIEW IF NOT EXISTS v_annotations AS
SELECT Project, TraceId, StepId, Scheme, Annotator, Origin, AtUnixMicro, Revision, Correctness, ErrorType, ErrorSubtype, Severity, Penalty,
       Rationale, Value, Version, StepHash, AnchorType, AnchorAgentName, AnchorQuote, SchemeHash
FROM
(
    SELECT *
    FROM annotations
    ORDER BY Project, TraceId, Scheme, Annotator, StepId, Revision DESC, AtUnixMicro DESC, WriteId DESC
    LIMIT 1 BY Project, TraceId, Scheme, Annotator, StepId
)
WHERE NOT IsDeleted
COMMENT 'What annotators say of steps and, with an empty StepId, of runs; what blind queues withhold is not there.';
