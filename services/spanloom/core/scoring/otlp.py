"""Scores as evaluation results: log records in OTLP/JSON, which any OTLP receiver accepts.

Members that the conventions do not define are written to attributes with a prefix of our own, so
that another Spanloom can read the same score from the record.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.conventions.evaluations import (
    ERROR_TYPE,
    EVALUATOR,
    EXPLANATION,
    LABEL,
    NAME,
    OWN,
    RESULT,
    VALUE,
)
from spanloom.core.conventions.projects import PROJECT
from spanloom.core.model.score import OF_A_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Row = Mapping[str, Any]  # a score as ``GET /v1/scores`` has it

_SCOPE = "spanloom.scores"
_SPAN_ID = re.compile("[0-9a-f]{16}")
DEFAULTS: Row = {
    "source": "api",
    "passed": None,
    "is_complete": True,
    "status": "ok",
    "error_code": "",
    "evaluator_version": "",
    "config_hash": "",
    "rule_id": "",
    "experiment": "",
    "item": "",
    "repeat": 0,
    "judged_version": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost": None,
    "view_fingerprint": "",
    "coverage": None,
    "cached": False,
}
"""Members that are written only if their values differ from these."""


def is_writable(row: Row) -> bool:
    """Return whether a score can be a log record: it needs a trace, and a step with an OTLP id."""
    step_id = row.get("step_id") or ""
    is_of_trace = row.get("target") in OF_A_RUN
    return (
        bool(row.get("trace_id"))
        and is_of_trace
        and (not step_id or _SPAN_ID.fullmatch(step_id) is not None)
    )


def write_results(rows: Iterable[Row]) -> bytes:
    """Return scores for which ``is_writable`` is true as an ``ExportLogsServiceRequest``.

    The request has one resource per project.
    """
    by_project: dict[str, list[Row]] = {}
    for row in rows:
        by_project.setdefault(row["project"], []).append(row)
    resources = [
        {
            "resource": {"attributes": [_attribute(PROJECT, project)]},
            "scopeLogs": [{"scope": {"name": _SCOPE}, "logRecords": list(map(_record, own))}],
        }
        for project, own in by_project.items()
    ]
    return orjson.dumps({"resourceLogs": resources})


def _record(row: Row) -> dict[str, Any]:
    time_ns = str(int(row["at"]) * 1_000_000)
    record = {
        "timeUnixNano": time_ns,
        "observedTimeUnixNano": time_ns,
        "eventName": RESULT,
        "traceId": row["trace_id"],
        "attributes": [_attribute(key, value) for key, value in _attributes(row)],
    }
    return record | ({"spanId": row["step_id"]} if row.get("step_id") else {})


def _attributes(row: Row) -> Iterator[tuple[str, Any]]:
    """Yield the attributes, including the event's name, which some SDKs expect as an attribute."""
    yield NAME, row["name"]
    yield EVALUATOR, row["author"]
    yield from _value(row.get("value_type"), row.get("value"), row.get("label") or "")
    if rationale := row.get("rationale"):
        yield EXPLANATION, rationale
    if row.get("status") == "error" and row.get("error_code"):
        yield ERROR_TYPE, row["error_code"]
    yield f"{OWN}target", row["target"]
    for name, usual in DEFAULTS.items():
        if (value := row.get(name, usual)) != usual:
            yield OWN + name, value
    for name in ("evidence", "metrics"):
        if value := row.get(name):
            yield OWN + name, orjson.dumps(value).decode()


def _value(kind: object, value: Any, label: str) -> Iterator[tuple[str, Any]]:
    if value is None:
        return
    if kind == "text":
        yield f"{OWN}text", value
        yield f"{OWN}value_type", "text"
    elif isinstance(value, bool):
        yield VALUE, float(value)
        yield f"{OWN}value_type", "boolean"
    elif isinstance(value, (int, float)):
        yield VALUE, float(value)
    else:
        label = value
    if label:
        yield LABEL, label


def _attribute(key: str, value: object) -> dict[str, Any]:
    kind = "boolValue" if isinstance(value, bool) else "stringValue"
    if isinstance(value, float):
        return {"key": key, "value": {"doubleValue": value}}
    if isinstance(value, int) and not isinstance(value, bool):
        return {"key": key, "value": {"intValue": str(value)}}
    return {"key": key, "value": {kind: value}}
