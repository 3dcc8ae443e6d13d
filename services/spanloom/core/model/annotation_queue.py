"""Annotation queues: trajectories to annotate, and the events of their items."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Event(StrEnum):
    """What an annotator did with an item."""

    BEGUN = "begun"
    DONE = "done"
    REOPENED = "reopened"
    ADJUDICATED = "adjudicated"


class ItemState(StrEnum):
    """The progress of an item."""

    OPEN = "open"
    BEGUN = "begun"
    DONE = "done"
    """All its annotators are done."""
    TO_ADJUDICATE = "to_adjudicate"
    """All are done, and disagree or the item is part of the sample to adjudicate."""
    ADJUDICATED = "adjudicated"


class Order(StrEnum):
    """In which order an annotator gets items."""

    OLDEST = "oldest"
    """In the order in which they were added."""
    RANDOM = "random"
    """By a hash of queue and item: the same for every annotator, each time."""
    ERRORS = "errors"
    """Most failures first, as counted when they were added."""
    DISAGREEMENT = "disagreement"
    """Items whose annotators disagree first; items without shared annotations last."""


class Mode(StrEnum):
    """How items come to annotators."""

    ASSIGNED = "assigned"
    """Each item has its annotators from the beginning."""
    FREE = "free"
    """The next annotator to request an item gets one that is not taken."""


class Alike(NamedTuple):
    """How far the annotators of an item agree."""

    shared: int
    """Steps, or answers about the whole run, that two or more of them have annotated."""
    same: int
    """Those on which all of them agree."""


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue as last written."""

    project: str
    name: str
    scheme: str
    annotators: Sequence[str]
    each: int = 1
    """How many annotators get each item."""
    is_blind: bool = False
    """Whether annotators see others' annotations only once they are done with the item."""
    order: Order = Order.OLDEST
    away: Sequence[str] = ()
    """Absent annotators: their items go to others, except those they have done."""
    threshold: float | None = None
    """Share of steps judged alike below which an item is to be adjudicated; ``None``: never."""
    sample: float = 0
    """Share of items that are to be adjudicated even if their annotators agree."""
    mode: Mode = Mode.ASSIGNED
    where: str = ""
    """The ``where`` query of a living queue."""
    is_living: bool = False
    """Whether later runs that match ``where`` are added too."""
    instructions: str = ""
    has_gold: bool = False
    """Whether any of its items is gold."""
    at_us: int = 0


class QueueItem(NamedTuple):
    """A trajectory in a queue."""

    trace_id: str
    place: int
    """Position in the queue; later items have higher ones."""
    version: int = 0
    failures: int = 0
    """How many failures it had when it was added."""
    is_gold: bool = False
    """Whether its answers are known: every annotator gets it, and is compared with them."""


class QueueEvent(NamedTuple):
    """What one annotator did with an item, and when."""

    trace_id: str
    annotator: str
    at_us: int
    event: Event
