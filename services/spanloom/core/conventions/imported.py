"""Reads a step from a span that ``spanloom import`` made from a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.model.step import Step, StepError, StepType, Usage
from spanloom.core.model.trajectory import Kind, Metrics
from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span


SCOPE = "spanloom.import"
DOCUMENT = "spanloom.import.document"
"""Id of the document; spans of an earlier import of the run have a different id."""
TYPE = "spanloom.import.type"
"""The kind of the step, or ``other`` for a root that is no step."""
INPUT, OUTPUT = "spanloom.import.input", "spanloom.import.output"
ERROR = "spanloom.import.error"
MODEL_INFO = "spanloom.import.model_info"
STEP_METADATA = "spanloom.import.step.metadata"
OWNER, POSITION = "spanloom.import.step.agent", "spanloom.import.step.position"
"""The agent that owns the step, and its position among that agent's steps."""
AGENT_METADATA = "spanloom.import.agent.metadata"
AGENT_METRICS = "spanloom.import.agent.metrics_info"
AGENT_POSITION = "spanloom.import.agent.position"
ROOT_METADATA = "spanloom.import.root.metadata"
ROOT_METRICS = "spanloom.import.root.metrics_info"
EXTRACTION = "spanloom.import.extraction"
"""Attribute of the root with the document's ``extraction`` object."""
SPANS = "spanloom.import.spans"
"""Attribute of the root with the number of spans that hold the document."""

NS_PER_MS = 1_000_000
TOKEN_COUNTS = (
    *("input_tokens", "output_tokens", "reasoning_tokens"),
    *("input_read_cached_tokens", "input_creation_cached_tokens"),
)
"""The fields of ``model_info`` in the order of ``Usage``."""
_KINDS = {str(kind): kind for kind in Kind}


class NotCarriedError(ValueError):
    """Raised if an attribute of an imported span is not in the form that an import writes."""


def read_kind(span: Span) -> Kind:
    """Return the kind of the span's step."""
    return _KINDS.get(span.attributes.get(TYPE, ""), Kind.OTHER)


def read_step(span: Span, metadata_key: str) -> Step:
    """Return the step of a span; the attribute ``metadata_key`` has the step's metadata.

    Raises ``NotCarriedError`` if an attribute is invalid.
    """
    attributes, kind = span.attributes, read_kind(span)
    metadata = texts_by_name(load(attributes[metadata_key])) if metadata_key in attributes else {}
    if "cost" in metadata and decimal(metadata["cost"]) is None:
        raise NotCarriedError("the cost is no number")
    has_info = kind is Kind.MODEL and MODEL_INFO in attributes
    info = load(attributes[MODEL_INFO]) if has_info else None
    return Step(
        id=span.span_id,
        parent_id=span.parent_span_id,
        type=StepType.GRAPH if kind is Kind.OTHER else StepType(kind),
        name=span.name,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        input=attributes.get(INPUT, ""),
        output=attributes.get(OUTPUT, ""),
        error=read_error(span, metadata),
        usage=read_usage(info) if info is not None else None,
        model=metadata.get("model", "") if kind is Kind.MODEL else "",
        first_token_ms=_first_token_ms(info),
        metadata=metadata,
    )


def read_error(span: Span, metadata: Mapping[str, str]) -> StepError | None:
    """Return the step's error, or ``None``; raise ``NotCarriedError`` if it is invalid."""
    if ERROR not in span.attributes:
        return None
    error = members(load(span.attributes[ERROR]))
    return StepError(
        code=number(error.get("code")),
        message=text(error.get("msg")),
        type=metadata.get("error_type", ""),
        reported_by=metadata.get("error_told_by", ""),
    )


def read_usage(info: object) -> Usage:
    """Return the token counts in ``model_info``; raise ``NotCarriedError`` if they are invalid."""
    fields = members(info)
    return Usage(*(number(fields.get(name)) for name in TOKEN_COUNTS))


def read_metrics(info: object) -> Metrics:
    """Return the metrics in ``metrics_info``; raise ``NotCarriedError`` if they are invalid."""
    fields = members(info)
    return Metrics(
        llm_duration_ns=milliseconds(fields.get("llm_duration")),
        tool_duration_ns=milliseconds(fields.get("tool_duration")),
        model_errors=_ids_by_code(fields.get("model_errors")),
        tool_errors=_ids_by_code(fields.get("tool_errors")),
        model_error_rate=share(fields.get("model_error_rate")),
        tool_error_rate=share(fields.get("tool_error_rate")),
        tool_step_proportion=share(fields.get("tool_step_proportion")),
        input_tokens=number(fields.get("input_tokens")),
        output_tokens=number(fields.get("output_tokens")),
    )


def load(text: str) -> object:
    """Return the JSON value of an attribute; raise ``NotCarriedError`` if it is invalid."""
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise NotCarriedError(f"no JSON: {error}") from error
    return value


def members(value: object) -> dict[str, Any]:  # JSON values of any type
    """Return the value if it is a JSON object; raise ``NotCarriedError`` otherwise."""
    if not isinstance(value, dict):
        raise NotCarriedError("an object is needed")
    return value


def text(value: object) -> str:
    """Return the value if it is a string; raise ``NotCarriedError`` otherwise."""
    if not isinstance(value, str):
        raise NotCarriedError("a text is needed")
    return value


def texts(value: object) -> list[str]:
    """Return the value if it is a list of strings; raise ``NotCarriedError`` otherwise."""
    if not isinstance(value, list):
        raise NotCarriedError("a list is needed")
    return [text(item) for item in value]


def texts_by_name(value: object) -> dict[str, str]:
    """Return the value if it is an object of strings; raise ``NotCarriedError`` otherwise."""
    return {name: text(item) for name, item in members(value).items()}


def number(value: object) -> int:
    """Return an integer that fits into columns of 64 bits; raise ``NotCarriedError`` otherwise."""
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63:
        raise NotCarriedError("a whole number is needed")
    return value


def share(value: object) -> float:
    """Return the value if it is a finite number; raise ``NotCarriedError`` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotCarriedError("a number is needed")
    return value


def milliseconds(value: object) -> int:
    """Convert a string of ms to ns that fit into 64 bits; raise ``NotCarriedError`` otherwise."""
    digits = text(value)
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 14):
        raise NotCarriedError("milliseconds are needed")
    return int(digits) * NS_PER_MS


def _first_token_ms(info: object) -> float | None:
    latency = members({} if info is None else info).get("latency_first_resp")
    return None if latency is None else milliseconds(latency) / NS_PER_MS


def _ids_by_code(value: object) -> dict[str, list[str]]:
    return {code: texts(ids) for code, ids in members(value).items()}
