"""The assessments of an MLflow trace, in the words of the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.exchange.mlflow.ids import span_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.formats.json_bytes import Json

_BLANK: Json = {}


class SourceAssessment(NamedTuple):
    """A feedback or an expectation about a trace, or about one span of it."""

    id: str
    """MLflow's id; empty if the trace does not have it."""
    name: str
    is_expectation: bool
    """Whether it is what should have come out, not a judgement of what did."""
    value: Any  # as JSON has it
    """The value; ``None`` with ``error``."""
    error: str
    """Why there is no value; empty if there is one."""
    span_id: str
    """16 hex digits; empty for the whole trace."""
    source_type: str
    """``HUMAN``, ``LLM_JUDGE``, ``CODE`` or another word."""
    source_id: str
    """Who or what assessed."""
    rationale: str
    created_at: str
    """RFC 3339; empty if unknown."""
    overrides: str
    """Id of the assessment that this one replaces; empty if there is none."""
    metadata: Mapping[str, Any]


def assessments_of(info: Json) -> Iterator[SourceAssessment]:
    """Yield the assessments in the ``info`` of a trace; what is no assessment is left out."""
    listed = info.get("assessments")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("assessment_name"), str):
            yield _assessment(one)


def _assessment(one: Json) -> SourceAssessment:
    expected, feedback, source = (
        _object(one, name) for name in ("expectation", "feedback", "source")
    )
    error = _object(feedback, "error")
    value = expected if "expectation" in one else feedback
    return SourceAssessment(
        _text(one, "assessment_id"),
        one["assessment_name"],
        "expectation" in one,
        _value(value),
        _text(error, "error_message") or _text(error, "error_code"),
        span_key(_text(one, "span_id")) if one.get("span_id") else "",
        _text(source, "source_type"),
        _text(source, "source_id"),
        _text(one, "rationale"),
        _text(one, "create_time"),
        _text(one, "overrides"),
        _object(one, "metadata"),
    )


def _value(told: Json) -> Any:  # as JSON has it
    """Return the value; lists and objects are written as text with its encoding."""
    if "value" in told:
        return told["value"]
    return _object(told, "serialized_value").get("value")


def _object(values: Json, name: str) -> Json:
    found = values.get(name)
    return found if isinstance(found, dict) else _BLANK


def _text(values: Json, name: str) -> str:
    found = values.get(name)
    return found if isinstance(found, str) else ""
