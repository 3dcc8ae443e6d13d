"""The record for an annotation, which declares the columns of the table ``annotations``."""

from typing import Annotated, Any, Literal

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import PLAIN_TEXT, Example, From, Moment, Other, Stored
from spanloom.core.records.record import Record

_NAME = "LowCardinality(String)"
_STEP = "00f067aa0ba902b7"
_WRITE = "0b9f5f0e-6f0a-4f36-9e44-0a2b7e3f5c11"


class AnnotationItem(Record):
    """A current annotation and its state against the current version."""

    scheme: Annotated[
        str,
        From("slot.scheme"),
        Stored("Scheme", _NAME, "Name of the annotation scheme."),
        Example("step_evaluation"),
    ]
    annotator: Annotated[
        str,
        From("slot.annotator"),
        Stored("Annotator", _NAME, "Who said it; a model or a rule may be one too, see Origin."),
        Example("ada"),
    ]
    step_id: Annotated[
        str,
        Field(description="Empty: the whole trajectory."),
        From("slot.step_id"),
        Stored("StepId", "String", "Step id; empty: of the trajectory as a whole."),
        Example(_STEP),
    ]
    revision: Annotated[
        int,
        Stored("Revision", "UInt32", "Counts the rows of this annotator on this step from 1."),
        Example(1),
    ]
    write_id: Annotated[
        str,
        Stored(
            "WriteId", "String", "Given by the client; the same write sent again is the same row."
        ),
        Example(_WRITE),
    ]
    base_revision: Annotated[
        int,
        Stored(
            "BaseRevision",
            "UInt32",
            "What the client had seen; other than Revision - 1: edits of two windows, joined.",
        ),
        Example(0),
    ]
    group: Annotated[
        str, Stored("UndoGroup", "String", "What is undone together has the same."), Example(_WRITE)
    ]
    at: Annotated[
        Moment,
        PLAIN_TEXT,
        Field(description="Milliseconds since the epoch."),
        From(lambda annotation: annotation.at_us // 1_000),
        Example("1715400000000"),
    ]
    origin: Annotated[
        str,
        Stored("Origin", _NAME, "human, adjudication, model, rule or import."),
        Example("human"),
    ]
    is_deleted: Annotated[bool, Stored("IsDeleted", "Bool", "Taken back."), Example(False)]
    scheme_hash: Annotated[
        str,
        Stored(
            "SchemeHash",
            _NAME,
            "Which text of the scheme it was made with, see annotation_schemes.",
        ),
        Example("602e59cfabcb26f270b1b57e133049f6"),
    ]
    version: Annotated[
        int,
        Field(description="The version that was annotated."),
        From("anchor.version"),
        Stored("Version", "UInt32", "Version of the trajectory that was on the screen."),
        Example(1),
    ]
    state: Annotated[
        Literal["valid", "changed", "moved", "orphaned", "whole"], From(None), Example("valid")
    ]
    stands_at: Annotated[
        str,
        Field(description="The step that it belongs to in the current version; empty: none."),
        From(None),
        Example(_STEP),
    ]
    reason: Annotated[
        str, Field(description="Why the state is not valid."), From(None), Example("")
    ]
    places: Annotated[
        list[tuple[int, int] | None],
        Field(
            description="For `value.spans` on texts that have changed: current start and end of "
            "each, in UTF-16 units; null if its text is missing or not unique.",
            examples=[[(26, 31), None]],
        ),
        From(None),
        Example([]),
    ]
    quote: Annotated[
        str,
        Field(description="Name and beginning of the step when it was annotated."),
        From("anchor.quote"),
        Stored(
            "AnchorQuote", "String", "Name and beginning of the step, for people, should it vanish."
        ),
        Example("forecast: rain from Saturday"),
    ]
    correctness: Annotated[
        str,
        From("mark.correctness"),
        Stored("Correctness", _NAME, "One of the options of the scheme, or empty."),
        Example("incorrect"),
    ]
    error_type: Annotated[
        str,
        From("mark.error_type"),
        Stored("ErrorType", _NAME, "One of its error types, or empty."),
        Example("execution"),
    ]
    error_subtype: Annotated[
        str,
        From("mark.error_subtype"),
        Stored("ErrorSubtype", _NAME, "One of the subtypes of that, or empty."),
        Example("wrong_tool"),
    ]
    severity: Annotated[
        str,
        From("mark.severity"),
        Stored("Severity", _NAME, "One of its severities, or empty."),
        Example("major"),
    ]
    penalty: Annotated[float, From(None), Example(5)]
    rationale: Annotated[
        str,
        From("mark.rationale"),
        Stored("Rationale", "String", "Why."),
        Example("The weather was asked for, not the forecast."),
    ]
    value: Annotated[dict[str, Any], From(None), Example({})]


def _made(name: str, column: str, kind: str, comment: str, codec: str = "ZSTD(1)") -> Other:
    """Declare a column with the value of an attribute of the annotation."""
    return Other(Stored(column, kind, comment, codec=codec), name=name)


OTHERS = (
    _made("slot.key.project", "Project", _NAME, "Tenant."),
    _made("slot.key.trace_id", "TraceId", "String", "Trace id."),
    _made(
        "at_us",
        "AtUnixMicro",
        "UInt64",
        "When it was accepted, in microseconds since the epoch.",
        "Delta, ZSTD(1)",
    ),
    _made(
        "anchor.step_hash",
        "StepHash",
        "String",
        "Of type, name, input, output and error of the step then; empty: not kept.",
    ),
    _made("anchor.agent_id", "AnchorAgent", "String", "Agent step under which it stood."),
    _made(
        "anchor.ordinal",
        "AnchorOrdinal",
        "UInt32",
        "Its place, from 1, among steps of that agent with the same hash.",
    ),
    _made("anchor.step_type", "AnchorType", _NAME, "Type of the step."),
    _made("anchor.agent_name", "AnchorAgentName", _NAME, "Name of that agent."),
    _made(
        "penalty",
        "Penalty",
        "Float64",
        "What the severity took off the score; 0 on a correct step.",
    ),
    _made(
        "mark.value",
        "Value",
        "String",
        "JSON object of what else was said, and of unknown keys of an import.",
    ),
)
"""Columns that the record does not have, or has in another form."""

ANNOTATION = Declaration(AnnotationItem, OTHERS, table="annotations")
