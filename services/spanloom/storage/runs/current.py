"""Reads current trajectories as lines of a list, with the next run of their conversation."""

from __future__ import annotations

from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from spanloom.core.model.span import TraceKey
from spanloom.core.query.continuations import (
    NO_CONTINUATION,
    TURNS,
    find_continuations,
    may_continue,
)
from spanloom.core.query.lists import ListedRun
from spanloom.core.query.selection import NEWEST_FIRST
from spanloom.core.records.declared import Stored, StoredCounts, Timed
from spanloom.core.records.run import RUN, Run
from spanloom.storage.engine.parameters import Condition, batched
from spanloom.storage.runs.candidates import KEYS_AT_ONCE, Line, place_of, read_places
from spanloom.storage.where.compile import passing
from spanloom.storage.where.orders import rank as rank_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.core.records.declaration import Declared
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


_INTERNAL = ("IsWaiting", "IsResuming")
_COLUMNS = {field.name: s.column for field in RUN.fields if (s := field.find(Stored))}
_COUNTS = {
    field.name: {
        key: other.stored.column
        for key, other in counts.columns.items()
        if isinstance(other.stored, Stored)
    }
    for field in RUN.fields
    if (counts := field.find(StoredCounts))
}
_BLANK = {field.name: field.info.get_default(call_default_factory=True) for field in RUN.fields}
"""The default values of the fields, in order; a field without a column keeps its default."""
_NAMES = tuple(_COLUMNS)
_take = attrgetter(*_COLUMNS.values())
_take_counts = {name: attrgetter(*columns.values()) for name, columns in _COUNTS.items()}


def run_columns() -> str:
    """Return the SELECT list of a run."""
    counts = (column for columns in _COUNTS.values() for column in columns.values())
    return ", ".join((*_COLUMNS.values(), *counts, *_INTERNAL))


def listed_run(row: Row) -> ListedRun:
    """Return a row with the ``run_columns`` and ``Rank`` as a line of a list."""
    return ListedRun(
        run_of(row), row.StartTimeUnixNano, tuple(row.Rank), row.IsWaiting, row.IsResuming
    )


def run_of(row: Row) -> Run:
    """Return a row with the ``run_columns`` as a run."""
    values: dict[str, Any] = {**_BLANK, **dict(zip(_NAMES, _take(row), strict=True))}
    for name, convert in _CONVERSIONS:
        values[name] = convert(values[name])
    for name, take in _take_counts.items():
        values[name] = dict(zip(_COUNTS[name], take(row), strict=True))
    return Run.trusted(values)


def _conversion(field: Declared) -> Callable[[Any], Any] | None:
    """Return the conversion from a column's value to its field; ``None`` if none is needed."""
    if field.find(Timed):
        return _milliseconds
    if isinstance(field.kind, type) and issubclass(field.kind, Enum):
        return {str(one.value): one for one in field.kind}.__getitem__
    if field.is_optional and field.kind is str:
        return _text_or_none
    return None


def _milliseconds(nanoseconds: int) -> int:
    return nanoseconds // 1_000_000


def _text_or_none(text: str) -> str | None:
    return text or None


_CONVERSIONS = [
    (field.name, convert)
    for field in RUN.fields
    if field.name in _COLUMNS and (convert := _conversion(field))
]


class RunLine(Line, Protocol):
    """A row of the run list."""

    @property
    def key(self) -> TraceKey:
        """The key of the run's trace."""


LineT = TypeVar("LineT", bound=RunLine)

MOST_READS = 4
"""The most attempts to read the positions of runs, which may move between attempts."""


class Shown(NamedTuple, Generic[LineT]):
    """The columns that a list reads for a run, and the function that makes a line from them."""

    columns: Condition
    line_of: Callable[[Row], LineT]


def read_current(
    reader: Connection,
    wanted: Condition,
    keys: Iterable[tuple[str, str]],
    shown: Shown[LineT],
) -> Sequence[LineT]:
    """Return the lines of the traces that currently meet the condition, in any order.

    A run that moves between the two queries, for positions and for the list, is read again.
    """
    last: dict[tuple[str, str], Row] = {}
    left = list(keys)
    for _ in range(MOST_READS):
        for some in batched(left, KEYS_AT_ONCE):
            rows = reader.rows(
                "list_page",
                columns=shown.columns,
                keys=some,
                filter=wanted,
                rank=rank_of(NEWEST_FIRST),
            )
            last |= {(row.Project, row.TraceId): row for row in rows}
        if not (left := [key for key in left if key in last and last[key].IsDeleted]):
            break
    return [shown.line_of(row) for row in last.values() if row.Passes]


def still_current(
    reader: Connection, rows: Sequence[Row], shown: Shown[LineT]
) -> Mapping[tuple[str, str], LineT]:
    """Return the lines of the rows of ``list_candidates.sql`` that are current."""
    newest = read_places(reader, dict.fromkeys(map(place_of, rows)))
    deleted = reader.hiding.deleted_among(reader, dict.fromkeys(map(key_of, rows)))
    current = [
        row
        for row in rows
        if newest.get(place_of(row)) == (row.Seq, row.Version) and key_of(row) not in deleted
    ]
    current.sort(key=attrgetter("Seq", "Version"))
    return {line.key: line for line in map(shown.line_of, current)}


def key_of(row: Row) -> TraceKey:
    """Return the trace key of a row."""
    return TraceKey(row.Project, row.TraceId)


SUMMARY = Shown(Condition(run_columns(), {}), listed_run)
"""The columns and lines of lists that readers see."""


NEAR = 100
"""The number of positions around a run that are searched for the next run.

Old versions and duplicates have positions too.
"""


class _Span(NamedTuple):
    """The range of the runs of a conversation whose preceding and following runs are looked up."""

    project: str
    conversation_id: str
    first_ns: int
    last_ns: int


def with_continuations(reader: Connection, lines: Sequence[ListedRun]) -> Sequence[ListedRun]:
    """Return the lines, each with the trace ids of the runs that it continues or that continue it.

    Sends no query if no run waits for an answer or continues another run, as on most pages.
    """
    if not any(map(may_continue, lines)):
        return lines
    spans = _spans(lines)
    conversations = [(span.project, span.conversation_id) for span in spans]
    places = reader.rows(
        "conversation_neighbours", spans=spans, conversations=conversations, most=NEAR
    )
    turns = read_current(
        reader, passing(TURNS), [(row.Project, row.TraceId) for row in places], SUMMARY
    )
    found = find_continuations(turns)
    return [line.continued(found.get(line.key, NO_CONTINUATION)) for line in lines]


def _spans(lines: Iterable[ListedRun]) -> list[_Span]:
    spans: dict[tuple[str, str], _Span] = {}
    for line in filter(may_continue, lines):
        own = _Span(line.key.project, line.conversation_id, line.start_ns, line.start_ns)
        known = spans.get(own[:2], own)
        first_ns, last_ns = min(known.first_ns, own.first_ns), max(known.last_ns, own.last_ns)
        spans[own[:2]] = own._replace(first_ns=first_ns, last_ns=last_ns)
    return list(spans.values())
