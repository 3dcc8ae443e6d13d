"""The record for a score, which declares the columns of the table ``scores``."""

from typing import Annotated, Any

import orjson
from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import PLAIN_TEXT, Example, From, Moment, Other, Stored
from spanloom.core.records.record import Record

_NAME = "LowCardinality(String)"


def _value(score: Any) -> float | bool | str | None:  # a model.score.Score
    if score.value_type == "boolean" and score.number is not None:
        return bool(score.number)
    if score.value_type == "number":
        return None if score.number is None else float(score.number)
    return score.text if score.value_type in ("category", "text") else None


def _label(score: Any) -> str:  # a model.score.Score
    return str(score.text) if score.value_type in ("number", "boolean") else ""


def _evidence(score: Any) -> list[Any]:  # a model.score.Score
    try:
        found = orjson.loads(score.evidence) if score.evidence else []
    except ValueError:
        return []
    return found if isinstance(found, list) else []


class ScoreItem(Record):
    """A current score."""

    score_id: Annotated[
        str,
        From(lambda score: score.id),
        Stored(
            "ScoreId",
            "String",
            "Of project, target, name, source, author, experiment, item and repeat: the same "
            "again is a revision.",
        ),
        Example("6f5902ac237024bdd0c176cb93063dc4"),
    ]
    trace_id: Annotated[
        str,
        From("key.trace_id"),
        Stored("TraceId", "String", "Trace id; empty of a conversation or an item."),
        Example("4bf92f3577b34da6a3ce929d0e0e4736"),
    ]
    project: Annotated[
        str, From("key.project"), Stored("Project", _NAME, "Tenant."), Example("default")
    ]
    target: Annotated[
        str,
        Stored("Target", _NAME, "trajectory, step, span, conversation or item."),
        Example("trajectory"),
    ]
    step_id: Annotated[
        str, Stored("StepId", "String", "Step or span id of a target that is one."), Example("")
    ]
    conversation_id: Annotated[
        str,
        Field(description="The conversation, if it is the target."),
        Stored("ConversationId", "String", "Of a conversation."),
        Example(""),
    ] = ""
    name: Annotated[
        str, Stored("Name", _NAME, "What was scored: scheme or metric."), Example("step_evaluation")
    ]
    source: Annotated[
        str,
        Stored("Source", _NAME, "human, adjudication, model, rule, import, llm, code or api."),
        Example("human"),
    ]
    author: Annotated[str, Stored("Author", _NAME, "Annotator, or evaluator."), Example("ada")]
    value: Annotated[
        float | bool | str | None,
        Field(description="Of the type `value_type`."),
        From(_value),
        Example(95),
    ] = None
    value_type: Annotated[
        str,
        Stored("ValueType", _NAME, "number, boolean, category, text or none."),
        Example("number"),
    ]
    label: Annotated[
        str,
        Field(description="What a number or boolean means, in words."),
        From(_label),
        Example(""),
    ] = ""
    passed: Annotated[
        bool | None,
        Stored("Passed", "Nullable(Bool)", "Whether it is good enough, where somebody says so."),
        Example(None),
    ] = None
    is_complete: Annotated[
        bool,
        Field(description="Whether it is complete."),
        Stored(
            "IsComplete",
            "Bool",
            "Whether nothing is missing from it, such as steps that nobody judged.",
            default="true",
        ),
        Example(False),
    ]
    status: Annotated[
        str, Stored("Status", _NAME, "ok, na, skipped or error.", default="'ok'"), Example("ok")
    ]
    error_code: Annotated[str, Stored("ErrorCode", _NAME, "Of an error."), Example("")]
    rationale: Annotated[str, Stored("Rationale", "String", "Why."), Example("")]
    evidence: Annotated[
        list[dict[str, Any]],
        Field(
            description="The evidence: `step_id`, and the position in it: `field`, `start`, `end`."
        ),
        From(_evidence),
        Example([]),
    ]
    judged_version: Annotated[
        int,
        Stored(
            "JudgedVersion", "UInt32", "Version of the trajectory that it was made on; 0: unknown."
        ),
        Example(1),
    ]
    evaluator_version: Annotated[
        str, Stored("EvaluatorVersion", _NAME, "Of an evaluator."), Example("")
    ]
    config_hash: Annotated[
        str,
        Stored("ConfigHash", "String", "Of its configuration; of the text of a scheme."),
        Example("602e59cfabcb26f270b1b57e133049f6"),
    ]
    experiment: Annotated[
        str, Stored("Experiment", "String", "The experiment that it belongs to."), Example("")
    ]
    item: Annotated[str, Stored("Item", "String", "Key of the item of its set."), Example("")]
    repeat: Annotated[int, Stored("Repeat", "UInt32", "Which repeat, from 0."), Example(0)]
    rule_id: Annotated[
        str, Stored("RuleId", "String", "The online rule that asked for it."), Example("")
    ] = ""
    input_tokens: Annotated[
        int, Stored("InputTokens", "UInt64", "That making it took."), Example(0)
    ] = 0
    output_tokens: Annotated[
        int, Stored("OutputTokens", "UInt64", "That making it took."), Example(0)
    ] = 0
    cost: Annotated[
        float | None,
        Stored("Cost", "Nullable(Float64)", "What making it cost, in US dollars."),
        Example(None),
    ] = None
    view_fingerprint: Annotated[
        str,
        Stored(
            "ViewFingerprint",
            "String",
            "Of the parts of the run that the evaluator read, which it names; empty: unknown.",
        ),
        Example(""),
    ] = ""
    coverage: Annotated[
        float | None,
        Stored(
            "Coverage",
            "Nullable(Float64)",
            "Share of the run that was read, 0 to 1; null: all of it, or unknown.",
        ),
        Example(None),
    ] = None
    cached: Annotated[
        bool,
        Stored(
            "IsCached",
            "Bool",
            "Whether every answer of a model was one that it had given before.",
        ),
        Example(False),
    ] = False
    metrics: Annotated[
        dict[str, float],
        Stored("Metrics", "Map(LowCardinality(String), Float64)", "Further numbers by name."),
        Example({}),
    ] = Field(default_factory=dict)
    stale: Annotated[
        bool | None,
        From(None),
        Field(
            description="Whether the judged contents have changed in the current version of the "
            "run; null: unknown."
        ),
        Example(False),
    ] = None
    at: Annotated[
        Moment,
        PLAIN_TEXT,
        Field(description="Milliseconds since the epoch."),
        From(lambda score: score.revision // 1_000),
        Example("1715400000000"),
    ]


def _made(name: str, column: str, kind: str, comment: str, codec: str = "ZSTD(1)") -> Other:
    """Declare a column with the value of an attribute of the score."""
    return Other(Stored(column, kind, comment, codec=codec), name=name)


OTHERS = (
    _made(
        "revision",
        "Revision",
        "UInt64",
        "The highest counts; microseconds since the epoch.",
        "Delta, ZSTD(1)",
    ),
    _made("step_hash", "StepHash", "String", "Fingerprint of what was judged."),
    _made("number", "ValueNumber", "Nullable(Float64)", "The number; 0 or 1 of a boolean."),
    _made("text", "ValueText", "String", "The category or text."),
    _made("evidence", "Evidence", "String", "JSON of what shows it."),
    _made("is_deleted", "IsDeleted", "Bool", "Taken back."),
)
"""Columns that the record does not have."""

SCORE = Declaration(ScoreItem, OTHERS, table="scores")
