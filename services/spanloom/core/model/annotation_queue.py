"""A queue of trajectories to annotate, and what happened with its items."""

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


class Order(StrEnum):
    """In which order an annotator gets items."""

    OLDEST = "oldest"
    """As they were put in."""
    RANDOM = "random"
    """By a hash of queue and item: the same for everybody, each time."""
    ERRORS = "errors"
    """Most failures first, as they were when they were put in."""


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue as it was last put."""

    project: str
    name: str
    scheme: str
    annotators: Sequence[str]
    each: int = 1
    """How many annotators get each item."""
    is_blind: bool = False
    """Whether what others say is withheld until one's own is done."""
    order: Order = Order.OLDEST
    away: Sequence[str] = ()
    """Annotators whose items go to others, but for what they have done."""
    threshold: float | None = None
    """Share of steps judged alike below which an item is to be adjudicated; ``None``: never."""
    instructions: str = ""
    at_us: int = 0


class QueueItem(NamedTuple):
    """A trajectory in a queue."""

    trace_id: str
    place: int
    """Later items have higher places."""
    version: int = 0


class QueueEvent(NamedTuple):
    """Something that happened with an item."""

    trace_id: str
    annotator: str
    at_us: int
    event: Event
