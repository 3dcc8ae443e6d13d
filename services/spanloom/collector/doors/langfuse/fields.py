"""Represents changes of fields by Langfuse's events, merges them, and derives OTLP ids."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


CREATED = "created"
"""A field set by every create event; an observation that lacks it is not stored as a span yet."""
METADATA = "metadata."
"""Prefix of fields that contain one entry of the metadata: ``metadata.user``."""


class Subject(StrEnum):
    """The kind of object that an event changes: an observation or a trace."""

    TRACE = "trace"
    OBSERVATION = "observation"


class Stamp(NamedTuple):
    """The sort key of an event: time, then id; independent of the order of arrival."""

    time_ns: int
    event_id: str


@dataclass(frozen=True, slots=True)
class Change:
    """The fields that one event sets on an observation or a trace."""

    subject: Subject
    id: str
    stamp: Stamp
    fields: dict[str, object]
    """Values keyed by field name in the API; objects and arrays are JSON text."""


Fields = dict[str, list[object]]
"""Lists ``[time, event id, value]``, keyed by field name; lists, as JSON has no tuples."""

_FIRST_SEEN = "firstSeen"


def merge(fields: Fields, changes: Iterable[Change]) -> None:
    """Merge changes into the fields; each field gets the value of the latest event that sets it."""
    for change in changes:
        stamp = [*change.stamp]
        for name, value in change.fields.items():
            known = fields.get(name)
            if known is None or known[:2] <= stamp:
                fields[name] = [*stamp, value]
        seen = fields.get(_FIRST_SEEN)
        if seen is None or stamp < seen[:2]:
            fields[_FIRST_SEEN] = [*stamp, None]


def values(fields: Fields) -> dict[str, object]:
    """Return the value of each field, without its time and event id."""
    return {name: value for name, (*_, value) in fields.items() if name != _FIRST_SEEN}


def first_seen_ns(fields: Fields) -> int:
    """Return the time of the earliest event; 0 if no event had one."""
    seen = fields[_FIRST_SEEN][0]
    return seen if isinstance(seen, int) else 0


def is_top_level(fields: Fields) -> bool:
    """Return whether an observation has no parent observation."""
    return "parentObservationId" not in fields


def trace_named(fields: Fields) -> str | None:
    """Return the Langfuse trace id that an observation's events set; ``None`` if none did."""
    return str(fields["traceId"][2]) if "traceId" in fields else None


def trace_of(known_id: str, fields: Fields) -> str | None:
    """Return the trace id of an observation; the observation's id if its events set no trace id.

    ``None`` if no create event was received so far.
    """
    return (trace_named(fields) or known_id) if CREATED in fields else None


_HEX_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_HEX_SPAN_ID = re.compile(r"[0-9a-f]{16}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def trace_id_of(text: str) -> bytes:
    """Return the OTLP trace id, 16 bytes, of a Langfuse trace id."""
    lower = text.lower()
    if _HEX_TRACE_ID.fullmatch(lower) or _UUID.fullmatch(lower):
        return bytes.fromhex(lower.replace("-", ""))
    return hashlib.sha256(text.encode()).digest()[:16]


def span_id_of(text: str) -> bytes:
    """Return the OTLP span id, 8 bytes, of a Langfuse observation id."""
    lower = text.lower()
    if _HEX_SPAN_ID.fullmatch(lower):
        return bytes.fromhex(lower)
    return hashlib.sha256(text.encode()).digest()[:8]
