"""Finds traces that are stored as repeats of another trace, even if their calls have changed.

A repeat is usually found by the calls that it shares with its original. These may disappear: a late
span changes a call, or displaces it from a trace above the span cap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.building import ALWAYS_NS, Call, CallWindow

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import DuplicateOf

_OF = "repeat of "


def repeat_row(key: TraceKey, original: DuplicateOf) -> Call:
    """Return the row of the call index by which the repeats of a trace are found.

    The row matches a search with any time window.
    """
    call_key = _OF + original.trace_id
    return Call(key, original.span_id, call_key, 0, ALWAYS_NS, is_bare=False)


def repeat_window(original: TraceKey, at_ns: int) -> CallWindow:
    """Return the search for a trace's repeats; ``at_ns`` may be any time."""
    return CallWindow(_OF + original.trace_id, at_ns, at_ns)


def is_repeat_row(call: Call) -> bool:
    """Return whether a row of the call index marks a repeat, and so is no call."""
    return call.call_key.startswith(_OF)
