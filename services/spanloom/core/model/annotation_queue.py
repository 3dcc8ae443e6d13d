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


class ItemState(StrEnum):
    """How far an item is."""

    OPEN = "open"
    BEGUN = "begun"
    DONE = "done"
    """All its annotators are done."""
    TO_ADJUDICATE = "to_adjudicate"
    """They are done, and say different things or are looked at as a sample."""
    ADJUDICATED = "adjudicated"


class Order(StrEnum):
    """In which order an annotator gets items."""

    OLDEST = "oldest"
    """As they were put in."""
    RANDOM = "random"
    """By a hash of queue and item: the same for everybody, each time."""
    ERRORS = "errors"
    """Most failures first, as they were when they were put in."""
    DISAGREEMENT = "disagreement"
    """Those first of which annotators say different things; those nobody shares come last."""


class Mode(StrEnum):
    """How items come to annotators."""

    ASSIGNED = "assigned"
    """Each has its annotators from the beginning."""
    FREE = "free"
    """Whoever asks next gets one that is not taken."""


class Alike(NamedTuple):
    """How alike the annotators of an item judge it."""

    shared: int
    """Steps, or answers about the whole run, of which two or more say something."""
    same: int
    """Of them, those of which all say the same."""


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
    sample: float = 0
    """Share of items that are to be adjudicated whatever their annotators say."""
    mode: Mode = Mode.ASSIGNED
    where: str = ""
    """The question of a living queue."""
    is_living: bool = False
    """Whether runs that come later and are what ``where`` asks for are put in too."""
    instructions: str = ""
    has_gold: bool = False
    """Whether any of its items is gold."""
    at_us: int = 0


class QueueItem(NamedTuple):
    """A trajectory in a queue."""

    trace_id: str
    place: int
    """Later items have higher places."""
    version: int = 0
    failures: int = 0
    """What had failed in it when it was put in."""
    is_gold: bool = False
    """Whether its answers are known: everybody gets it, and is compared with them."""


class QueueEvent(NamedTuple):
    """Something that happened with an item."""

    trace_id: str
    annotator: str
    at_us: int
    event: Event
