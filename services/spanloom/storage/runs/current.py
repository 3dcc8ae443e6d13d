"""Reads current trajectories as lines of a list."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from spanloom.core.model.span import TraceKey
from spanloom.core.query.question import NEWEST_FIRST
from spanloom.storage.engine.conditions import Condition
from spanloom.storage.engine.parameters import batched
from spanloom.storage.runs.candidates import KEYS_AT_ONCE, Line, read_newest
from spanloom.storage.runs.run_reader import listed_run, run_columns
from spanloom.storage.where.ordering import rank as rank_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.core.query.question import Order
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row


class RunLine(Line, Protocol):
    """The line of a list for a run."""

    @property
    def key(self) -> TraceKey:
        """The key of its trace."""


LineT = TypeVar("LineT", bound=RunLine)


class Shown(NamedTuple, Generic[LineT]):
    """The columns to read of a run in the list, and how to make a line of them."""

    columns: Condition
    line_of: Callable[[Row], LineT]


def read_current(
    reader: Lane,
    wanted: Condition,
    keys: Iterable[tuple[str, str]],
    shown: Shown[LineT],
    order: Order = NEWEST_FIRST,
) -> Sequence[LineT]:
    """Return those of the traces that currently meet the condition, in any order."""
    last = {
        (row.Project, row.TraceId): row
        for some in batched(list(keys), KEYS_AT_ONCE)
        for row in reader.rows(
            "list_page", columns=shown.columns, keys=some, filter=wanted, rank=rank_of(order)
        )
    }
    return [shown.line_of(row) for row in last.values() if row.Passes]


def still_current(
    reader: Lane, rows: Sequence[Row], shown: Shown[LineT]
) -> Mapping[tuple[str, str], LineT]:
    """Return those rows of ``list_candidates.sql`` that are current."""
    newest = read_newest(reader, dict.fromkeys(map(key_of, rows)))
    current = [row for row in rows if (n := newest.get(key_of(row))) and n.allows_place(row)]
    current.sort(key=attrgetter("Seq", "Version"))
    return {line.key: line for line in map(shown.line_of, current)}


def key_of(row: Row) -> TraceKey:
    """Return the trace key of a row."""
    return TraceKey(row.Project, row.TraceId)


SUMMARY = Shown(Condition(run_columns(), {}), listed_run)
"""A line of a list, as readers see it."""
