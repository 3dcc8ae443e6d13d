"""Evaluates an alert on the past: runs or windows for which it would have fired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.alerts.condition import RunCondition
from spanloom.core.model.trajectory import Status
from spanloom.core.query.intervals import Interval
from spanloom.core.query.selection import RunSelection, all_of, condition_of
from spanloom.core.query.stats import COUNT, MAX_GROUPS, Metric, Numbers
from spanloom.core.query.where.fields import RUN_FIELDS, Subject
from spanloom.core.query.where.tree import Compare, Operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.alerts.condition import AlertCondition, NumberCondition
    from spanloom.core.model.access import Reach
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.where.tree import Condition

MOST_LISTED = 50
"""Maximum runs or windows in a result."""


_SETTLED = Compare(RUN_FIELDS["status"], Operator.EQUAL, Status.SETTLED.value)


class Window(NamedTuple):
    """A time window in which an alert on a metric would have fired."""

    start_ns: int
    by: Sequence[Any]
    value: float
    runs: int
    """The number of runs or steps."""


class TrialResult(NamedTuple):
    """The result of evaluating an alert on the past."""

    fired: int
    """The number of firing runs, or of firing windows and groups."""
    of: int
    """The number of evaluated runs, or of windows and groups."""
    runs: Sequence[ListedRun] = ()
    """The newest firing runs."""
    windows: Sequence[Window] = ()
    """The newest firing windows."""


def try_alert(
    store: ReadingStore, reach: Reach, condition: AlertCondition, since_ns: int, now_ns: int
) -> TrialResult:
    """Return the runs or windows for which an alert would have fired since ``since_ns``.

    ``since_ns`` and ``now_ns`` are in ns since the epoch. Raises ``InvalidQueryError``.
    """
    if isinstance(condition, RunCondition):
        return _try_line(store, reach, condition, since_ns, now_ns)
    return _try_number(store, reach, condition, since_ns, now_ns)


def _try_line(
    store: ReadingStore, reach: Reach, condition: RunCondition, since_ns: int, now_ns: int
) -> TrialResult:
    filters = condition_of({"duplicate": False, "since": since_ns})
    settled = None if condition.is_lasting else _SETTLED
    where = all_of(filters, settled)
    runs = store.runs.list(reach, where, MOST_LISTED, None, RunSelection(condition.at(now_ns)))
    return TrialResult(
        _count(store, reach, where, condition.at(now_ns)), _count(store, reach, where), runs
    )


def _count(
    store: ReadingStore, reach: Reach, where: Condition | None, condition: Condition | None = None
) -> int:
    query = Numbers(Subject.RUN, [Metric(COUNT)], where=condition)
    group = store.stats.numbers(reach, where, query)[0]
    return int(group.values[0] or 0)


def _try_number(
    store: ReadingStore, reach: Reach, condition: NumberCondition, since_ns: int, now_ns: int
) -> TrialResult:
    """Return the consecutive windows that fire; an active alert evaluates a sliding window."""
    filters = condition_of({"duplicate": False, "has_steps": True, "since": since_ns})
    query = condition.query(now_ns)._replace(interval=Interval(condition.window_s), top=MAX_GROUPS)
    groups = store.stats.numbers(reach, filters, query)
    windows = [
        Window(group.start_ns or 0, group.by, value, int(count or 0))
        for group in groups
        for value, count in [group.values]
        if value is not None and condition.is_beyond(value, int(count or 0))
    ]
    newest = sorted(windows, key=lambda one: one.start_ns, reverse=True)
    return TrialResult(len(windows), len(groups), windows=newest[:MOST_LISTED])
