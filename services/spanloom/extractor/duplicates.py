"""Finds model calls, tool calls and runs that two traces report, in any order of extraction."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.duplicates.keys import is_tool, sought_key
from spanloom.core.duplicates.repeats import is_repeat_row, repeat_window
from spanloom.core.duplicates.traces import (
    find_original,
    find_original_run,
    group_by_trace,
    identifying_calls,
    most_apart_ns,
    overlap_alike,
    started_near,
)
from spanloom.core.model.trajectory import DuplicateOf
from spanloom.core.ports.calls import CallWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.calls import Call, CallFinder


if TYPE_CHECKING:
    Runs: TypeAlias = Mapping[TraceKey, Sequence[Call]]


MAX_LATE = 3
"""Number of a run's first calls to look up, because the other report may lack some of them."""
_START = attrgetter("start_ns")
_IS_BARE = attrgetter("is_bare")


@dataclass(frozen=True, slots=True)
class Repeats:
    """Duplicates found for a batch: its traces that repeat others, and stored traces to rebuild."""

    originals: dict[TraceKey, DuplicateOf] = field(default_factory=dict)
    """Traces in the batch that report a call of another trace, with the original of the call."""
    stored: list[TraceKey] = field(default_factory=list)
    """Stored traces that report a call of the batch too, or did when they were built."""


def find_repeats(
    finder: CallFinder, built: Mapping[TraceKey, Sequence[Call]], known: Iterable[TraceKey]
) -> Repeats:
    """Compare the calls of the traces just built with each other and with the store's calls.

    For ``known`` traces, which are already stored, the traces stored as their duplicates are found
    too, because the calls that both reported may have been removed since.
    """
    repeats = Repeats()
    by_project: defaultdict[str, list[Call]] = defaultdict(list)
    for calls in built.values():
        for call in calls:
            by_project[call.key.project].append(call)
    known_by_project: defaultdict[str, list[TraceKey]] = defaultdict(list)
    for key in known:
        known_by_project[key.project].append(key)
    for project in sorted(by_project.keys() | known_by_project.keys()):
        own = by_project[project]
        found = _load(finder, project, own, known_by_project[project])
        stored = [call for call in found if call.key not in built]
        _compare(own, [call for call in stored if not is_repeat_row(call)], repeats)
        repeated = {call.key for call in stored if is_repeat_row(call)}
        repeats.stored.extend(sorted(repeated.difference(repeats.stored)))
    return repeats


def _compare(own: Sequence[Call], stored: Sequence[Call], repeats: Repeats) -> None:
    ours, all_calls = group_by_trace(own), _CallsByContent((*own, *stored))
    for call in filter(_IS_BARE, own):
        if (original := find_original(call, all_calls.around(call))) is not None:
            repeats.originals[call.key] = DuplicateOf(original.key.trace_id, original.step_id)
    for call in filter(_IS_BARE, stored):
        if find_original(call, [c for c in all_calls.around(call) if c.key in ours]) is not None:
            repeats.stored.append(call.key)
    _compare_runs(ours, group_by_trace(stored), all_calls, repeats)


def _compare_runs(own: Runs, stored: Runs, all_calls: _CallsByContent, repeats: Repeats) -> None:
    """Compare each run with the runs that may report the same first calls."""
    every = {**own, **stored}
    for key, calls in every.items():
        if not (known := identifying_calls(calls)):
            continue
        others = {o.key for call in known[:MAX_LATE] for o in all_calls.other_reports(call)}
        if key in stored:
            others &= own.keys()
        original = find_original_run(known, [every[other] for other in sorted(others)])
        if original is None:
            continue
        if key in stored:
            repeats.stored.append(key)
        else:
            repeats.originals[key] = DuplicateOf(original.key.trace_id, original.step_id)


class _CallsByContent:
    """Calls, keyed by content, in the order of their start.

    A script that repeats one query a thousand times makes a thousand equal calls, so each call is
    compared only with calls near it in time.
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        self._calls: defaultdict[str, list[Call]] = defaultdict(list)
        self._dialects: defaultdict[str, set[str]] = defaultdict(set)
        self._longest_ns: defaultdict[str, int] = defaultdict(int)
        for call in sorted(calls, key=_START):
            self._calls[call.call_key].append(call)
            self._dialects[call.call_key].add(call.dialect)
            lasted_ns = call.end_ns - call.start_ns
            self._longest_ns[call.call_key] = max(lasted_ns, self._longest_ns[call.call_key])

    def around(self, call: Call) -> Sequence[Call]:
        """Return the calls with equal content that may enclose a call or overlap it."""
        earliest_ns = min(call.start_ns, call.end_ns) - self._longest_ns[call.call_key]
        apart_ns = most_apart_ns(call)
        return self._started(
            call.call_key,
            min(earliest_ns, call.start_ns - apart_ns),
            call.start_ns + apart_ns,
        )

    def other_reports(self, call: Call) -> Iterator[Call]:
        """Return calls that may be reports of the same call by another instrumentation."""
        key = sought_key(call.call_key)
        if self._dialects[key] <= {call.dialect}:
            return iter(())  # the usual case
        calls = self._calls[key]
        near = chain(started_near(calls, call), overlap_alike(calls, call))
        return (other for other in near if other.dialect != call.dialect)

    def _started(self, call_key: str, first_ns: int, last_ns: int) -> Sequence[Call]:
        calls = self._calls[call_key]
        start = bisect_left(calls, first_ns, key=_START)
        return calls[start : bisect_right(calls, last_ns, key=_START)]


def _load(
    finder: CallFinder, project: str, own: Sequence[Call], known: Sequence[TraceKey]
) -> Sequence[Call]:
    """Return the stored calls near ``own`` in time, and the duplicates of ``known`` traces."""
    at_ns = own[0].start_ns if own else 0
    again = (repeat_window(key, at_ns) for key in known)
    return finder.find(project, [*map(_window, own), *again])


def _window(call: Call) -> CallWindow:
    """Return the key and time range to query.

    The range is wider for tools, because a tool call may end before the other report of it begins.
    """
    apart_ns = most_apart_ns(call) if is_tool(call.call_key) else 0
    times = call.start_ns, call.end_ns
    from_ns = max(min(times) - apart_ns, 0)
    return CallWindow(sought_key(call.call_key), from_ns, max(times) + apart_ns)
