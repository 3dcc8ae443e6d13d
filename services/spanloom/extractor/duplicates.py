"""Calls that are reported in two traces, whichever of the two is extracted first."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.duplicates.keys import is_tool, sought_key
from spanloom.core.duplicates.traces import (
    find_original,
    find_original_run,
    group_by_trace,
    identifying_calls,
    most_apart_ns,
    started_near,
)
from spanloom.core.model.trajectory import DuplicateOf
from spanloom.core.ports.building import CallWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import Call, CallFinder


if TYPE_CHECKING:
    Runs: TypeAlias = Mapping[TraceKey, Sequence[Call]]


MAX_LATE = 3
"""By so many of its first calls others like a run are found: of one it may have been told late."""
_START = attrgetter("start_ns")
_IS_BARE = attrgetter("is_bare")


@dataclass(frozen=True, slots=True)
class Repeats:
    """What a batch repeats, and what repeats the batch."""

    originals: dict[TraceKey, DuplicateOf] = field(default_factory=dict)
    """Traces of the batch that only repeat a call of another trace."""
    stored: list[TraceKey] = field(default_factory=list)
    """Stored traces that repeat a call of the batch."""


def find_repeats(finder: CallFinder, built: Mapping[TraceKey, Sequence[Call]]) -> Repeats:
    """Compare the calls of the traces just built with each other and with the store's."""
    repeats = Repeats()
    by_project: defaultdict[str, list[Call]] = defaultdict(list)
    for calls in built.values():
        for call in calls:
            by_project[call.key.project].append(call)
    for project, own in by_project.items():
        stored = [c for c in _load(finder, project, own) if c.key not in built]
        _compare(own, stored, repeats)
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
    """Compare each run with those that may tell of its first calls as well."""
    every = {**own, **stored}
    for key, calls in every.items():
        if not (known := identifying_calls(calls)):
            continue
        others = {o.key for call in known[:MAX_LATE] for o in all_calls.beside(call)}
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
    """Calls by what they say, in the order of their start.

    A script that asks the same a thousand times gives as many calls that are alike: each is
    compared with those near it in time alone.
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        self._calls: defaultdict[str, list[Call]] = defaultdict(list)
        self._longest_ns: defaultdict[str, int] = defaultdict(int)
        for call in sorted(calls, key=_START):
            self._calls[call.call_key].append(call)
            lasted_ns = call.end_ns - call.start_ns
            self._longest_ns[call.call_key] = max(lasted_ns, self._longest_ns[call.call_key])

    def around(self, call: Call) -> Sequence[Call]:
        """Return those that may run around it, or beside it."""
        earliest_ns = min(call.start_ns, call.end_ns) - self._longest_ns[call.call_key]
        apart_ns = most_apart_ns(call)
        return self._started(
            call.call_key,
            min(earliest_ns, call.start_ns - apart_ns),
            call.start_ns + apart_ns,
        )

    def beside(self, call: Call) -> Iterator[Call]:
        """Yield those of which another instrumentation may tell the same."""
        near = started_near(self._calls[sought_key(call.call_key)], call)
        return (other for other in near if other.dialect != call.dialect)

    def _started(self, call_key: str, first_ns: int, last_ns: int) -> Sequence[Call]:
        calls = self._calls[call_key]
        start = bisect_left(calls, first_ns, key=_START)
        return calls[start : bisect_right(calls, last_ns, key=_START)]


def _load(finder: CallFinder, project: str, own: Sequence[Call]) -> Sequence[Call]:
    return finder.find(project, list(map(_window, own)))


def _window(call: Call) -> CallWindow:
    """Return what to look for; a tool may be over before the next instrumentation tells of it."""
    apart_ns = most_apart_ns(call) if is_tool(call.call_key) else 0
    times = call.start_ns, call.end_ns
    from_ns = max(min(times) - apart_ns, 0)
    return CallWindow(sought_key(call.call_key), from_ns, max(times) + apart_ns)
