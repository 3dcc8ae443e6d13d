"""Finds traces that are stored as duplicates of another trace, even if their calls have changed.

A duplicate is usually found by the calls that it shares with its original. These may disappear: a
late span changes a call, or displaces it from a trace above the span cap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.calls import ALWAYS_NS, Call, CallWindow

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import DuplicateOf

_OF = "repeat of "


def repeat_row(key: TraceKey, original: DuplicateOf) -> Call:
    """Return the call-index row that records trace ``key`` as a duplicate of ``original``.

    A lookup of the duplicates of ``original`` finds it, whatever the time window of the lookup.
    """
    call_key = _OF + original.trace_id
    return Call(key, original.span_id, call_key, 0, ALWAYS_NS, is_bare=False)


def repeat_window(original: TraceKey, at_ns: int) -> CallWindow:
    """Return the lookup of a trace's duplicates; ``at_ns`` may be any time."""
    return CallWindow(_OF + original.trace_id, at_ns, at_ns)


def is_repeat_row(call: Call) -> bool:
    """Return whether a row of the call index records a duplicate trace instead of a call."""
    return call.call_key.startswith(_OF)
