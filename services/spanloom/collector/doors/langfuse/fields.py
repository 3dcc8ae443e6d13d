"""What events have set so far of one observation or trace, each field with its event's stamp.

Of two events the one with the later stamp sets a field. That is commutative and idempotent:
order, batching and repeats do not change the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.collector.doors.langfuse.changes import CREATED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.collector.doors.langfuse.changes import Change

Fields = dict[str, list[object]]
"""Name to time, event id and value; lists because JSON gives them back so."""

_FIRST_SEEN = "firstSeen"


def add(fields: Fields, changes: Iterable[Change]) -> None:
    """Let each field have the value of the latest event that sets it."""
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
    """Return the fields without their stamps."""
    return {name: value for name, (*_, value) in fields.items() if name != _FIRST_SEEN}


def first_seen_ns(fields: Fields) -> int:
    """Return the time of the earliest event; 0 if no event had one."""
    seen = fields[_FIRST_SEEN][0]
    return seen if isinstance(seen, int) else 0


def is_on_top(fields: Fields) -> bool:
    """Return whether an observation stands directly below its trace."""
    return "parentObservationId" not in fields


def trace_named(fields: Fields) -> str | None:
    """Return the trace that an observation's events name, if any does."""
    return str(fields["traceId"][2]) if "traceId" in fields else None


def trace_of(known_id: str, fields: Fields) -> str | None:
    """Return the trace of a created observation; if it names none, it is a trace of its own.

    One of which only updates have come has none yet: it waits for its creation.
    """
    return (trace_named(fields) or known_id) if CREATED in fields else None
