-- Annotations and scores for dashboards and people: what was said last, and not taken back. The tables themselves are read by no
-- statement from outside, and of these views blind queues withhold what they withhold elsewhere.

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
