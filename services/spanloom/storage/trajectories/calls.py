"""Stored calls of models and tools, found by what they say or do and when they ran."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.building import Call, CallWindow, Extent
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.storage.engine.lane import Lane, Row


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
)


class ClickHouseCalls:
    """``CallFinder`` over the extractor's lane."""

    def __init__(self, worker: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._worker = worker

    def find_calls(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """See ``CallFinder.find_calls``: the index knows of most calls that there is none."""
        merged = without_overlaps(windows)
        found = [
            row
            for some in batched(merged)
            for row in self._worker.rows(
                "find_calls",
                project=project,
                call_keys=sorted({window.call_key for window in some}),
                windows=some,
            )
        ]
        current = self._versions(project, sorted({row.TraceId for row in found}))
        calls = [_call_of(project, row) for row in found if _is_current(row, current)]
        wanted = defaultdict(list)
        for window in merged:
            wanted[window.call_key].append(window)
        return [call for call in calls if _is_wanted(call, wanted[call.call_key])]

    def _versions(self, project: str, trace_ids: Sequence[str]) -> Mapping[str, list[int]]:
        """Return of what spans, and of which version, the stored trajectories are."""
        return {
            row.TraceId: [row.Seq, row.Version]
            for some in batched([(project, trace_id) for trace_id in trace_ids])
            for row in self._worker.rows("newest_versions", keys=some)
        }


def without_overlaps(windows: Iterable[CallWindow]) -> list[CallWindow]:
    """Return the same time for each call key in windows that do not overlap, in order."""
    merged: dict[str, list[CallWindow]] = defaultdict(list)
    for window in sorted(windows):
        of_key = merged[window.call_key]
        if of_key and window.from_ns <= of_key[-1].until_ns:
            of_key[-1] = of_key[-1]._replace(until_ns=max(of_key[-1].until_ns, window.until_ns))
        else:
            of_key.append(window)
    return [window for of_key in merged.values() for window in of_key]


def _is_wanted(call: Call, windows: Sequence[CallWindow]) -> bool:
    """Return whether one of the windows, which are in order and apart, looks for the call."""
    n = bisect_right(windows, call.end_ns, key=attrgetter("from_ns"))
    return n > 0 and call.is_within(windows[n - 1])


def _is_current(row: Row, current: Mapping[str, list[int]]) -> bool:
    """Return whether the trajectory still has the call; one that is being written may be ahead."""
    version = current.get(row.TraceId)
    return version is not None and [row.Seq, row.Version] >= version


def call_rows(seq: int, version: int, calls: Iterable[Call]) -> Iterator[list[object]]:
    """Yield the calls of a trajectory as rows of ``call_index``, in the order of its columns."""
    for call in calls:
        yield [
            *call.key,
            call.call_key,
            call.step_id,
            seq,
            version,
            call.start_ns,
            call.end_ns,
            call.is_bare,
            call.dialect,
            *call.extent,
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
    )
