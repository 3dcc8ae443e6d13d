-- What evaluators say of their judgement, and what it was made of. A row of the release before reads as
-- one that says nothing: no fingerprint, no coverage, no metrics. annotation_scores_writer names its
-- columns, so that these have their defaults in the scores of people.
ALTER TABLE scores
    ADD COLUMN IF NOT EXISTS ViewFingerprint String CODEC(ZSTD(1)) COMMENT 'Of the parts of the run that the evaluator read, which it names; empty: unknown.' AFTER Cost,
    ADD COLUMN IF NOT EXISTS Coverage Nullable(Float64) CODEC(ZSTD(1)) COMMENT 'Share of the run that was read, 0 to 1; null: all of it, or unknown.' AFTER ViewFingerprint,
    ADD COLUMN IF NOT EXISTS IsCached Bool CODEC(ZSTD(1)) COMMENT 'Whether every answer of a model was one that it had given before.' AFTER Coverage,
    ADD COLUMN IF NOT EXISTS Metrics Map(LowCardinality(String), Float64) CODEC(ZSTD(1)) COMMENT 'Further numbers by name.' AFTER IsCached,
    COMMENT COLUMN Status 'ok, na, skipped or error.';

CREATE OR REPLACE VIEW v_scores AS
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
