"""Finds stored calls of models and tools by their call key and their time."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.calls import Call, CallWindow, Extent
from spanloom.storage.engine.parameters import KEYS_PER_QUERY, Condition, batched
from spanloom.storage.runs.candidates import KEYS_AT_ONCE, read_newest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


CALL_COLUMNS = (
    "Project",
    "TraceId",
    "CallKey",
    "StepId",
    "Seq",
    "Version",
    "StartTimeUnixNano",
    "EndTimeUnixNano",
    "IsBare",
    "Dialect",
    "ModelSteps",
    "ToolSteps",
    "Richness",
    "Answer",
    "Question",
)


NEAR_NS = 600 * 10**9
"""If all windows together span at most this many nanoseconds, they are searched as one window."""
_EACH_CALL = {"place": Condition("TraceId, StepId", {}), "most": Condition("", {})}
_EACH_TRACE = Condition("TraceId", {})
"""The columns that identify a result of a search for the traces of a run: each is found once."""


class ClickHouseCalls:
    """Implements ``CallIndex`` with the extractor's connection to ClickHouse."""

    def __init__(self, worker: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._worker = worker

    def find(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """See ``CallFinder.find``; usually the index has no matching call."""
        calls = self._current(project, list(self._calls_near(project, windows)))
        keys = {call.call_key for call in calls}
        wanted = defaultdict(list)
        for window in without_overlaps(w for w in windows if w.call_key in keys):
            wanted[window.call_key].append(window)
        return [call for call in calls if _is_wanted(call, wanted[call.call_key])]

    def find_parts(self, project: str, windows: Sequence[CallWindow], most: int) -> Sequence[Call]:
        """See ``PartFinder.find_parts``."""
        bound = Condition("LIMIT {most_parts:UInt64} BY CallKey", {"most_parts": most})
        found = self._in_windows(project, windows, {"place": _EACH_TRACE, "most": bound})
        return self._current(project, list(found))

    def _current(self, project: str, found: Sequence[Row]) -> Sequence[Call]:
        """Return the calls among the rows that belong to current versions."""
        newest = read_newest(self._worker, {(project, row.TraceId) for row in found})
        return [
            _call_of(project, row)
            for row in found
            if (n := newest.get(TraceKey(project, row.TraceId))) and n.allows(row)
        ]

    def _calls_near(self, project: str, windows: Sequence[CallWindow]) -> Iterator[Row]:
        """Yield rows near the windows: all rows that may match, and a few that do not.

        The calls of a batch of traces were usually made at similar times, so one window that spans
        all windows is enough.
        """
        from_ns = min((window.from_ns for window in windows), default=0)
        until_ns = max((window.until_ns for window in windows), default=0)
        if until_ns - from_ns > NEAR_NS:
            yield from self._calls_apart(project, windows)
            return
        near = {"project": project, "from_ns": from_ns, "until_ns": until_ns}
        for keys in batched([window.call_key for window in windows]):
            yield from self._worker.rows("find_calls_near", **near, call_keys=keys)

    def _calls_apart(self, project: str, windows: Sequence[CallWindow]) -> Iterator[Row]:
        """Yield the rows in distant windows; search each call key only in its own windows."""
        if len(windows) > KEYS_PER_QUERY:
            known = self._known_keys(project, windows)
            windows = [window for window in windows if window.call_key in known]
        yield from self._in_windows(project, windows, _EACH_CALL)

    def _in_windows(
        self, project: str, windows: Sequence[CallWindow], form: Mapping[str, Condition]
    ) -> Iterator[Row]:
        for some in batched(without_overlaps(windows)):
            keys = sorted({window.call_key for window in some})
            asked = {"project": project, "call_keys": keys, "windows": some}
            yield from self._worker.rows("find_calls", **asked, **form)

    def _known_keys(self, project: str, windows: Sequence[CallWindow]) -> set[str]:
        """Return the call keys of the windows for which the index has any call."""
        return {
            row.CallKey
            for keys in batched([window.call_key for window in windows], KEYS_AT_ONCE)
            for row in self._worker.rows("known_call_keys", project=project, call_keys=keys)
        }


def without_overlaps(windows: Iterable[CallWindow]) -> list[CallWindow]:
    """Merge overlapping windows of each call key; return them in order."""
    merged: dict[str, list[CallWindow]] = defaultdict(list)
    for window in sorted(windows):
        of_key = merged[window.call_key]
        if of_key and window.from_ns <= of_key[-1].until_ns:
            of_key[-1] = of_key[-1]._replace(until_ns=max(of_key[-1].until_ns, window.until_ns))
        else:
            of_key.append(window)
    return [window for of_key in merged.values() for window in of_key]


def _is_wanted(call: Call, windows: Sequence[CallWindow]) -> bool:
    """Return whether the call matches one of the windows, which are sorted and disjoint."""
    n = bisect_right(windows, call.end_ns, key=attrgetter("from_ns"))
    return n > 0 and call.is_within(windows[n - 1])


def call_rows(rank: int, version: int, calls: Iterable[Call]) -> Iterator[list[object]]:
    """Yield the calls of a trajectory as rows of ``call_index``, in the order of its columns."""
    for call in calls:
        yield [
            *call.key,
            call.call_key,
            call.step_id,
            rank,
            version,
            call.start_ns,
            call.end_ns,
            call.is_bare,
            call.dialect,
            *call.extent,
            call.answer,
            call.question,
        ]


def _call_of(project: str, row: Row) -> Call:
    return Call(
        key=TraceKey(project, row.TraceId),
        step_id=row.StepId,
        call_key=row.CallKey,
        start_ns=row.StartTimeUnixNano,
        end_ns=row.EndTimeUnixNano,
        is_bare=bool(row.IsBare),
        dialect=row.Dialect,
        extent=Extent(row.ModelSteps, row.ToolSteps, row.Richness),
        answer=row.Answer,
        question=row.Question,
    )
