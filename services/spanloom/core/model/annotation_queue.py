"""Annotation queues: trajectories to annotate, and the events of their items."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Event(StrEnum):
    """An action of an annotator on an item."""

    BEGUN = "begun"
    DONE = "done"
    REOPENED = "reopened"
    ADJUDICATED = "adjudicated"


class ItemState(StrEnum):
    """The progress of an item."""

    OPEN = "open"
    BEGUN = "begun"
    DONE = "done"
    """All annotators of the item are done."""
    TO_ADJUDICATE = "to_adjudicate"
    """All are done, and they disagree or the item is in the sample that is adjudicated anyway."""
    ADJUDICATED = "adjudicated"


class Order(StrEnum):
    """The order in which an annotator gets items."""

    OLDEST = "oldest"
    """The order in which the items were added."""
    RANDOM = "random"
    """A random order by a hash of queue and item, always the same for every annotator."""
    ERRORS = "errors"
    """Most failures first, as counted when the items were added."""
    DISAGREEMENT = "disagreement"
    """Items whose annotators disagree first; items without shared annotations last."""


class Mode(StrEnum):
    """How annotators get items."""

    ASSIGNED = "assigned"
    """The annotators of each item are known from the beginning."""
    FREE = "free"
    """An annotator who requests an item gets the next item that still needs annotators."""


class Alike(NamedTuple):
    """Counts of the questions about an item that several annotators answered, or answered alike."""

    shared: int
    """Number of steps, and questions about the run, that at least two annotators have answered."""
    same: int
    """Number of these steps and questions on which all their annotators agree."""


@dataclass(frozen=True, slots=True)
class Queue:
    """An annotation queue as last stored."""

    project: str
    name: str
    scheme: str
    annotators: Sequence[str]
    each: int = 1
    """Number of annotators who get each item."""
    is_blind: bool = False
    """Whether annotators see others' annotations only once they are done with the item."""
    order: Order = Order.OLDEST
    away: Sequence[str] = ()
    """Absent annotators; their items go to others, except items that they have completed."""
    threshold: float | None = None
    """Items with a smaller share of steps judged alike are adjudicated; ``None``: never."""
    sample: float = 0
    """Share of items that are adjudicated even if their annotators agree."""
    mode: Mode = Mode.ASSIGNED
    where: str = ""
    """The ``where`` query whose matching runs are added to a living queue."""
    is_living: bool = False
    """Whether later runs that match ``where`` are added too."""
    instructions: str = ""
    has_gold: bool = False
    """Whether the queue has gold items."""
    at_us: int = 0


class QueueItem(NamedTuple):
    """A trajectory in a queue."""

    trace_id: str
    place: int
    """Position in the queue; items added later have higher positions."""
    version: int = 0
    failures: int = 0
    """Number of failures of the run when the item was added."""
    is_gold: bool = False
    """Whether it is a gold item: every annotator gets it, and its right answers are known."""


class QueueEvent(NamedTuple):
    """A change of an item by one annotator, and its time."""

    trace_id: str
    annotator: str
    at_us: int
    event: Event
