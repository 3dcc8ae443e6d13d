"""Parses events of Langfuse's ingestion API into changes of fields (``fields.py``).

An event is ``{"id", "type", "timestamp", "body"}``; ``body.id`` is the id of the observation or
trace, and later events with the same ``body.id`` set further fields of it. A null, an empty text or
a zero time (Go's ``0001-01-01``) changes no field. See ADR 010.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from spanloom.collector.doors.langfuse.fields import (
    CREATED,
    METADATA,
    Change,
    Stamp,
    Subject,
    span_id_of,
    trace_id_of,
)
from spanloom.collector.doors.langfuse.scores import Score, read_score
from spanloom.collector.doors.otlp.json import load_json
from spanloom.collector.doors.otlp_writing import as_text
from spanloom.core.errors import InvalidRequestError
from spanloom.core.values.moments import iso_nanoseconds

if TYPE_CHECKING:
    from spanloom.collector.intake.limits import Limits

_TYPE = re.compile(
    "(trace|observation|span|generation|event|agent|tool|chain|retriever|evaluator|embedding|"
    "guardrail)-(create|update)"
)
_SCORE = "score-create"
_DROPPED = frozenset({"sdk-log", "dataset-run-item-create"})
_SDK = ("sdk_name", "sdk_version", "sdk_integration")
_SHOWN = 200
_MAX_ID_BYTES = 512
_TIMES = ("startTime", "endTime", "completionStartTime")
_TAKEN_APART = frozenset({"id", "metadata", "usage", "usageDetails"})
_OLD_USAGE = {"promptTokens": "input", "completionTokens": "output", "totalTokens": "total"}
"""Token counts of the older field ``usage``, with their names in ``usageDetails``."""


class Refusal(NamedTuple):
    """The id of a rejected event, with the reason and status reported to the client."""

    event_id: str
    reason: str
    status: int = 400
    """HTTP status: 400 if invalid, 404 if the observation is already evicted, 413 if too large."""


@dataclass(slots=True)
class Batch:
    """The parsed events of a request and their results."""

    changes: list[Change] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    """Ids of accepted events, including events of types that are not stored."""
    refused: list[Refusal] = field(default_factory=list)
    dropped: int = 0


def read_batch(body: bytes, limits: Limits) -> Batch:
    """Parse a request; raises ``InvalidRequestError`` if it has no list of events."""
    document = load_json(body, limits)
    events = document.get("batch")
    if not isinstance(events, list):
        raise InvalidRequestError("batch: must be an array.")
    metadata = document.get("metadata")
    sdk = {k: v for k in _SDK if (v := metadata.get(k))} if isinstance(metadata, dict) else {}
    batch = Batch()
    for event in events:
        _read_event(event, sdk, batch)
    return batch


def _read_event(event: object, sdk: dict[str, object], batch: Batch) -> None:
    if not isinstance(event, dict) or not isinstance(event_id := event.get("id"), str):
        batch.refused.append(Refusal("", "An event must be an object with an id."))
        return
    kind, body = str(event.get("type"))[:_SHOWN], event.get("body")
    if kind in _DROPPED:
        batch.dropped += 1
    elif kind != _SCORE and _TYPE.fullmatch(kind) is None:
        batch.refused.append(Refusal(event_id, f"The event type {kind} is not known."))
        return
    elif not isinstance(body, dict):
        batch.refused.append(Refusal(event_id, "The body must be an object."))
        return
    else:
        try:
            stamp = Stamp(_time("timestamp", event.get("timestamp")), event_id)
            _read_body(kind, body, sdk, stamp, batch)
        except InvalidRequestError as error:
            batch.refused.append(Refusal(event_id, str(error)))
            return
    batch.accepted.append(event_id)


def _read_body(
    kind: str, body: dict[str, object], sdk: dict[str, object], stamp: Stamp, batch: Batch
) -> None:
    """Add the change or the score of an event, by its type."""
    if match := _TYPE.fullmatch(kind):
        batch.changes.append(_read_change(match[1], match[2], body, sdk, stamp))
    else:
        batch.scores.append(read_score(body, stamp.event_id, stamp.time_ns))


def _read_change(
    kind: str, action: str, body: dict[str, object], sdk: dict[str, object], stamp: Stamp
) -> Change:
    """Return the change that an event makes; the event's id replaces a missing id in the body."""
    subject = Subject.TRACE if kind == "trace" else Subject.OBSERVATION
    body_id = body.get("id")
    subject_id = body_id if isinstance(body_id, str) and body_id else stamp.event_id
    reported: dict[str, object] = {k: v for k, v in body.items() if k not in _TAKEN_APART}
    reported |= {"usageDetails": _usage(body)} | _metadata(body.get("metadata")) | sdk
    fields = {k: _flat(v) for k, v in reported.items() if _is_set(v)}
    for name in _TIMES:
        _time(name, fields.get(name))
    if subject is Subject.OBSERVATION:
        fields["type"] = str(body.get("type") or kind).lower()
        if action == "create":
            fields[CREATED] = True
    _check_ids(subject, subject_id, stamp.event_id, fields)
    return Change(subject, subject_id, stamp, fields)


def _check_ids(subject: Subject, subject_id: str, event_id: str, fields: dict[str, object]) -> None:
    """Reject ids that are too long or invalid in OTLP; remove a parent id of zeros."""
    trace_id = subject_id if subject is Subject.TRACE else str(fields.get("traceId", "-"))
    span_id = subject_id if subject is Subject.OBSERVATION else "-"
    parent_id = str(fields.get("parentObservationId", "-"))
    ids = (trace_id, span_id, parent_id, event_id)
    if any(len(text.encode()) > _MAX_ID_BYTES for text in ids):
        raise InvalidRequestError(f"An id must not have more than {_MAX_ID_BYTES} bytes.")
    if not any(trace_id_of(trace_id)):
        raise InvalidRequestError("The trace id must not be all zeros.")
    if not any(span_id_of(span_id)):
        raise InvalidRequestError("The observation id must not be all zeros.")
    if not any(span_id_of(parent_id)):
        del fields["parentObservationId"]


def _time(name: str, value: object) -> int:
    """Return a time in ns, 0 if unset; raises ``InvalidRequestError`` if it is invalid."""
    if not _is_set(value):
        return 0
    if (time_ns := iso_nanoseconds(value)) is None:
        shown = as_text(value)[:_SHOWN]
        raise InvalidRequestError(
            f"{name}: must be an ISO 8601 time between 1970 and 2262, not {shown!r}."
        )
    return time_ns


def _metadata(metadata: object) -> dict[str, object]:
    """Return one field per metadata key, so that later events can add keys."""
    if isinstance(metadata, dict):
        return {METADATA + str(k): v for k, v in metadata.items()}
    return {"metadata": metadata}


def _usage(body: dict[str, object]) -> object:
    details, old = body.get("usageDetails"), body.get("usage")
    if details is None and isinstance(old, dict):
        return {_OLD_USAGE.get(k, k): v for k, v in old.items()}
    return details


def _flat(value: object) -> object:
    """Return an object or array as JSON text, as spans store it; any other value unchanged."""
    return value if isinstance(value, bool | int | float) else as_text(value)


def _is_set(value: object) -> bool:
    return value is not None and value != "" and not _is_zero_time(value)


def _is_zero_time(value: object) -> bool:
    return isinstance(value, str) and value.startswith("0001-01-01T")
