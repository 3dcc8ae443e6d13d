"""Reads the assessments in an MLflow trace; ``scores.py`` converts them to scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.exchange.mlflow.ids import span_key
from spanloom.core.values.attributes import json_value
from spanloom.core.values.moments import iso_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.formats.json_bytes import Json

_BLANK: Json = {}


class SourceAssessment(NamedTuple):
    """A feedback or an expectation about a trace or one of its spans."""

    id: str
    """The id in MLflow; empty if the trace does not have it."""
    name: str
    is_expectation: bool
    """Whether the value is an expected result rather than a judgement of the actual result."""
    value: Any  # any JSON value
    """The value; ``None`` if there is an ``error``."""
    error_code: str
    """The error code if the assessment failed; otherwise empty."""
    error: str
    """Why there is no value; empty if there is one."""
    span_id: str
    """16 hex digits; empty for the whole trace."""
    source_type: str
    """``HUMAN``, ``LLM_JUDGE``, ``CODE`` or another value."""
    source_id: str
    """The person or program that made the assessment."""
    rationale: str
    at_ms: int
    """Time of the last change, in milliseconds since the epoch; 0 if unknown."""
    is_overridden: bool
    """Whether another assessment, not necessarily in the trace, has replaced it."""
    overrides: str
    """Id of the assessment that this one replaces; empty if there is none."""
    metadata: Mapping[str, Any]


def assessments_of(info: Json) -> Iterator[SourceAssessment]:
    """Yield the assessments in the ``info`` of a trace; invalid assessments are left out."""
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
        _text(error, "error_code"),
        _text(error, "error_message"),
        span_key(_text(one, "span_id")) if one.get("span_id") else "",
        _text(source, "source_type"),
        _text(source, "source_id"),
        _text(one, "rationale"),
        _moment(one),
        one.get("valid") is False,
        _text(one, "overrides"),
        _object(one, "metadata"),
    )


def _value(assessment: Json) -> Any:  # any JSON value
    """Return the value; MLflow stores an expectation's lists and objects as JSON text."""
    if "value" in assessment:
        return assessment["value"]
    return json_value(_text(_object(assessment, "serialized_value"), "value"))


def _moment(one: Json) -> int:
    found = (iso_nanoseconds(one.get(name)) for name in ("last_update_time", "create_time"))
    return next((ns // 1_000_000 for ns in found if ns is not None), 0)


def _object(values: Json, name: str) -> Json:
    found = values.get(name)
    return found if isinstance(found, dict) else _BLANK


def _text(values: Json, name: str) -> str:
    found = values.get(name)
    return found if isinstance(found, str) else ""
