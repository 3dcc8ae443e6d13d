"""Reads lists of runs or conversations page by page, each item with the cursor after it.

The code calls an item a line. A page of 50 lines is read with a limit of 51: if there are 51 lines,
more follow; if there are 50 or fewer, this is the last page. Therefore a store may return fewer
lines than the limit only at the end of the list.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.query.continuations import Continuation
from spanloom.core.query.where.tree import And, Compare, Operator
from spanloom.core.records.run import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.query.selection import Rank
    from spanloom.core.query.where.tree import Condition
    from spanloom.core.records.conversation import ConversationItem
    from spanloom.core.records.run import Run

_UNEVENTFUL = (Outcome.OK, Outcome.UNFINISHED)
"""Outcomes for which a run without steps is not listed, such as an open span of a web server."""


class Cursor(NamedTuple):
    """A position in a list; cursors sort in the order of the list, oldest first."""

    start_ns: int
    trace_id: str
    project: str
    rank: Rank = ()
    """The first sort key, before the start, if a list is ordered by another field."""

    @property
    def place(self) -> tuple[object, ...]:
        """The value by which cursors are compared."""
        return (*self.rank, self.start_ns, self.trace_id, self.project)


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list, with values that are not in its record, such as its sort keys."""

    run: Run
    start_ns: int
    """Start in ns since the epoch, by which lists are ordered."""
    rank: Rank = ()
    """The first sort key, before the start, as in ``Cursor``."""
    is_waiting: bool = False
    """Whether the run waits for a person, or waited until another run continued it."""
    is_resuming: bool = False
    """Whether the run received the answer for which an earlier run waited."""

    @property
    def key(self) -> TraceKey:
        """The key of the run's trace."""
        return TraceKey(self.run.project, self.run.trace_id)

    @property
    def version(self) -> int:
        """The version of the trajectory, as in an announcement."""
        return self.run.version

    @property
    def status(self) -> Status:
        """The status of the trajectory, as in an announcement."""
        return self.run.status

    @property
    def conversation_id(self) -> str:
        """The id of the run's conversation; empty if there is none."""
        return self.run.conversation_id or ""

    @property
    def continuation(self) -> Continuation:
        """The run that this run continues, and the run that continues this one."""
        return Continuation(self.run.resumes or "", self.run.resumed_by or "")

    def continued(self, by: Continuation) -> ListedRun:
        """Return the line with ``resumes`` and ``resumed_by`` set from a continuation."""
        neighbours = {"resumes": by.resumes or None, "resumed_by": by.resumed_by or None}
        return replace(self, run=self.run.model_copy(update=neighbours))

    @property
    def is_duplicate(self) -> bool:
        """Whether the run only repeats another trace."""
        return self.run.duplicate_of is not None

    @property
    def has_steps(self) -> bool:
        """Whether the run has a step, a failure or an outcome that is worth showing."""
        run = self.run
        steps = sum(count for kind, count in run.step_counts.items() if kind != "other")
        return steps > 0 or run.outcome not in _UNEVENTFUL or run.status is Status.FAILED

    @property
    def cursor(self) -> Cursor:
        """The cursor that continues after this line."""
        return Cursor(self.start_ns, self.run.trace_id, self.run.project, self.rank)


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation in a list, with the cursor that continues after it."""

    item: ConversationItem
    cursor: Cursor
    """The cursor that continues after this conversation: that of its newest selected run."""


def meets(line: ListedRun, condition: Condition | None) -> bool:
    """Return whether a run in memory meets a condition that ``condition_of`` returned."""
    match condition:
        case None:
            return True
        case And(parts):
            return all(meets(line, part) for part in parts)
        case Compare(field, sign, wanted):
            value = _value(line, field.name)
            if field.is_list:
                return wanted in value
            return value is not None and _COMPARE[sign](value, wanted)
    raise TypeError(f"{condition} is no condition of filters")


def _value(line: ListedRun, name: str) -> Any:  # the type depends on the field
    if (own := _OF_LINE.get(name)) is not None:
        return own(line)
    return getattr(line.run, RUN.field_of(name))


_OF_LINE: Mapping[str, Callable[[ListedRun], object]] = {
    "start": lambda line: line.start_ns,
    "duplicate": lambda line: line.is_duplicate,
    "has_steps": lambda line: line.has_steps,
}
"""Functions that compute fields which are not in the record."""

_COMPARE: Mapping[Operator, Callable[..., bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.AT_LEAST: operator.ge,
    Operator.LESS: operator.lt,
}


LineT = TypeVar("LineT")
PlaceT = TypeVar("PlaceT")


class Page(NamedTuple, Generic[LineT]):
    """A page of a list."""

    lines: Sequence[LineT]
    has_more: bool
    """Whether another page follows, which begins after the last line of this page."""


def read_page(read: Callable[[int], Sequence[LineT]], limit: int) -> Page[LineT]:
    """Return a page of up to ``limit`` lines; ``read`` takes the maximum number of lines."""
    found = read(limit + 1)
    return Page(found[:limit], has_more=len(found) > limit)


def every_line(
    read: Callable[[int, PlaceT | None], Sequence[LineT]],
    place: Callable[[LineT], PlaceT],
    at_once: int,
) -> Iterator[LineT]:
    """Yield all lines of a list, reading ``at_once`` lines at a time.

    ``read`` takes the maximum number of lines and the position after which to begin, ``None`` at
    first; ``place`` returns the position of a line.
    """
    after: PlaceT | None = None
    while lines := read(at_once, after):
        yield from lines
        if len(lines) < at_once:
            return
        after = place(lines[-1])
