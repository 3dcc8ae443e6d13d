"""How often an alert would have fired: the runs that a line finds, the windows of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.alerts.question import RunLine
from spanloom.core.model.trajectory import Status
from spanloom.core.query.intervals import Interval
from spanloom.core.query.selection import RunSelection, all_of, condition_of
from spanloom.core.query.stats import COUNT, MAX_GROUPS, Metric, Numbers
from spanloom.core.query.where.fields import RUN_FIELDS, Subject
from spanloom.core.query.where.tree import Compare, Operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.alerts.question import Asked, NumberLine
    from spanloom.core.model.access import Reach
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.where.tree import Condition

MOST_SHOWN = 50
"""Runs, or windows, that an answer shows."""


_SETTLED = Compare(RUN_FIELDS["status"], Operator.EQUAL, Status.SETTLED.value)


class Window(NamedTuple):
    """A window of a number that would have fired."""

    start_ns: int
    by: Sequence[Any]
    value: float
    runs: int
    """Or steps."""


class Tried(NamedTuple):
    """What an alert would have done."""

    fired: int
    """Runs, or windows and groups."""
    of: int
    """How many runs, or windows and groups, were looked at."""
    runs: Sequence[ListedRun] = ()
    """The newest of them."""
    windows: Sequence[Window] = ()
    """Likewise."""


def try_alert(store: ReadingStore, reach: Reach, asked: Asked, since_ns: int, now_ns: int) -> Tried:
    """Return what an alert would have fired for since a time; raises ``InvalidQueryError``."""
    if isinstance(asked, RunLine):
        return _try_line(store, reach, asked, since_ns, now_ns)
    return _try_number(store, reach, asked, since_ns, now_ns)


def _try_line(
    store: ReadingStore, reach: Reach, line: RunLine, since_ns: int, now_ns: int
) -> Tried:
    filters = condition_of({"duplicate": False, "since": since_ns})
    settled = None if line.is_lasting else _SETTLED
    where = all_of(filters, settled)
    runs = store.runs.list(reach, where, MOST_SHOWN, None, RunSelection(line.at(now_ns)))
    return Tried(_count(store, reach, where, line.at(now_ns)), _count(store, reach, where), runs)


def _count(
    store: ReadingStore, reach: Reach, where: Condition | None, line: Condition | None = None
) -> int:
    asked = Numbers(Subject.RUN, [Metric(COUNT)], where=line)
    group = store.stats.numbers(reach, where, asked)[0]
    return int(group.values[0] or 0)


def _try_number(
    store: ReadingStore, reach: Reach, line: NumberLine, since_ns: int, now_ns: int
) -> Tried:
    """Ask the number of windows that follow one another: the watched one slides."""
    filters = condition_of({"duplicate": False, "has_steps": True, "since": since_ns})
    asked = line.asked(now_ns)._replace(interval=Interval(line.window_s), top=MAX_GROUPS)
    groups = store.stats.numbers(reach, filters, asked)
    windows = [
        Window(group.start_ns or 0, group.by, value, int(count or 0))
        for group in groups
        for value, count in [group.values]
        if value is not None and line.is_beyond(value, int(count or 0))
    ]
    newest = sorted(windows, key=lambda one: one.start_ns, reverse=True)
    return Tried(len(windows), len(groups), windows=newest[:MOST_SHOWN])
