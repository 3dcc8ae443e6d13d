"""A step as a span carries it that was made of a document by ``spanloom import``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.model.trajectory import Kind, Metrics, Step, StepError, StepType, Usage
from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span


SCOPE = "spanloom.import"
DOCUMENT = "spanloom.import.document"
"""Which document the span is of: spans of an earlier one of the same run have another."""
TYPE = "spanloom.import.type"
"""What the step is, or ``other`` for a root that is none."""
INPUT, OUTPUT = "spanloom.import.input", "spanloom.import.output"
ERROR = "spanloom.import.error"
MODEL_INFO = "spanloom.import.model_info"
STEP_METADATA = "spanloom.import.step.metadata"
OWNER, POSITION = "spanloom.import.step.agent", "spanloom.import.step.position"
"""Among the steps of which agent it stands, and where."""
AGENT_METADATA = "spanloom.import.agent.metadata"
AGENT_METRICS = "spanloom.import.agent.metrics_info"
AGENT_POSITION = "spanloom.import.agent.position"
ROOT_METADATA = "spanloom.import.root.metadata"
ROOT_METRICS = "spanloom.import.root.metrics_info"
EXTRACTION = "spanloom.import.extraction"
"""Of the root: what the document says of its extraction."""
SPANS = "spanloom.import.spans"
"""Of the root: how many spans carry the document."""

NS_PER_MS = 1_000_000
_MODEL_INFO = (
    *("input_tokens", "output_tokens", "reasoning_tokens"),
    *("input_read_cached_tokens", "input_creation_cached_tokens"),
)
"""In the order of ``Usage``."""
_KINDS = {str(kind): kind for kind in Kind}


class NotCarriedError(ValueError):
    """What a span carries is not what a document shows."""


def read_kind(span: Span) -> Kind:
    """Return what the span is."""
    return _KINDS.get(span.attributes.get(TYPE, ""), Kind.OTHER)


def read_step(span: Span, metadata_key: str) -> Step:
    """Return the step as it is shown where its metadata are those of this attribute.

    Raises ``NotCarriedError``.
    """
    said, kind = span.attributes, read_kind(span)
    metadata = texts_by_name(load(said[metadata_key])) if metadata_key in said else {}
    if "cost" in metadata and decimal(metadata["cost"]) is None:
        raise NotCarriedError("the cost is no number")
    info = load(said[MODEL_INFO]) if kind is Kind.MODEL and MODEL_INFO in said else None
    return Step(
        id=span.span_id,
        parent_id=span.parent_span_id,
        type=StepType.GRAPH if kind is Kind.OTHER else StepType(kind),
        name=span.name,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        input=said.get(INPUT, ""),
        output=said.get(OUTPUT, ""),
        error=read_error(span, metadata),
        usage=read_usage(info) if info is not None else None,
        model=metadata.get("model", "") if kind is Kind.MODEL else "",
        first_token_ms=_first_token_ms(info),
        metadata=metadata,
    )


def read_error(span: Span, metadata: Mapping[str, str]) -> StepError | None:
    """Return why the step failed, or ``None`` if it did not; raises ``NotCarriedError``."""
    if ERROR not in span.attributes:
        return None
    told = members(load(span.attributes[ERROR]))
    return StepError(
        code=number(told.get("code")),
        message=text(told.get("msg")),
        type=metadata.get("error_type", ""),
        told_by=metadata.get("error_told_by", ""),
    )


def read_usage(info: object) -> Usage:
    """Return the tokens that ``model_info`` tells; raises ``NotCarriedError``."""
    told = members(info)
    return Usage(*(number(told.get(name)) for name in _MODEL_INFO))


def read_metrics(info: object) -> Metrics:
    """Return what ``metrics_info`` tells; raises ``NotCarriedError``."""
    told = members(info)
    return Metrics(
        llm_duration_ns=milliseconds(told.get("llm_duration")),
        tool_duration_ns=milliseconds(told.get("tool_duration")),
        model_errors=_ids_by_code(told.get("model_errors")),
        tool_errors=_ids_by_code(told.get("tool_errors")),
        model_error_rate=share(told.get("model_error_rate")),
        tool_error_rate=share(told.get("tool_error_rate")),
        tool_step_proportion=share(told.get("tool_step_proportion")),
        input_tokens=number(told.get("input_tokens")),
        output_tokens=number(told.get("output_tokens")),
    )


def load(text: str) -> object:
    """Return the JSON value of an attribute; raises ``NotCarriedError``."""
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise NotCarriedError(f"no JSON: {error}") from error
    return value


def members(value: object) -> dict[str, Any]:  # as JSON has it
    """Return an object of JSON; raises ``NotCarriedError`` for anything else, as all below do."""
    if not isinstance(value, dict):
        raise NotCarriedError("an object is needed")
    return value


def text(value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise NotCarriedError("a text is needed")
    return value


def texts(value: object) -> list[str]:
    """Return a list of texts."""
    if not isinstance(value, list):
        raise NotCarriedError("a list is needed")
    return [text(item) for item in value]


def texts_by_name(value: object) -> dict[str, str]:
    """Return an object whose values are texts."""
    return {name: text(item) for name, item in members(value).items()}


def number(value: object) -> int:
    """Return a whole number that a column takes."""
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63:
        raise NotCarriedError("a whole number is needed")
    return value


def share(value: object) -> float:
    """Return any finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotCarriedError("a number is needed")
    return value


def milliseconds(value: object) -> int:
    """Return a text of milliseconds as nanoseconds, as many as 64 bits have."""
    digits = text(value)
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 14):
        raise NotCarriedError("milliseconds are needed")
    return int(digits) * NS_PER_MS


def _first_token_ms(info: object) -> float | None:
    told = members({} if info is None else info).get("latency_first_resp")
    return None if told is None else milliseconds(told) / NS_PER_MS


def _ids_by_code(value: object) -> dict[str, list[str]]:
    return {code: texts(ids) for code, ids in members(value).items()}
