"""Alerts: what is watched for, what fired and was taken back, and what became of telling it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_ALERTS = 200
"""The most alerts of a project."""
MAX_NAME = 100
"""Characters of a name."""
MOST_CHANNELS = 10
"""The most channels of an alert."""


class AlertState(StrEnum):
    """What became of what an alert fired for."""

    FIRING = "firing"
    """It holds."""
    RESOLVED = "resolved"
    """The number is within its threshold again."""
    WITHDRAWN = "withdrawn"
    """It does not hold of the run, which is known better by now."""


class DeliveryState(StrEnum):
    """What became of telling a channel."""

    PENDING = "pending"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    """It was given up."""


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert as one change left it."""

    project: str
    name: str
    revision: int
    """Counts its changes; the newest counts."""
    version: int
    """Counts what it asks: other channels, another severity and a pause keep it."""
    definition: Mapping[str, Any] = field(default_factory=dict)
    """As ``PUT /v1/alerts/{name}`` takes it."""
    at_us: int = 0
    """When it was put, in microseconds since the epoch."""
    put_by: str = ""
    is_deleted: bool = False
    change: str = ""
    """Random: of two with one revision, who stored one sees whether it is theirs."""

    @property
    def place(self) -> tuple[str, str]:
        """Its project and its name."""
        return self.project, self.name


@dataclass(frozen=True, slots=True)
class AlertEvent:
    """What an alert fired for, as it became at one time: events of one ``id`` are about one."""

    project: str
    alert: str
    alert_version: int
    id: str
    number: int
    """Counts what became of it, from 1."""
    state: AlertState
    at_us: int
    """In microseconds since the epoch."""
    trace_id: str = ""
    """Empty of a number."""
    version: int = 0
    """Of the trajectory that showed it."""
    group: Sequence[Any] = ()
    """The values of the group of a number."""
    episode: int = 0
    """Counts how often the number of the group fired, from 1."""
    value: float | None = None
    """The number."""
    reason: Mapping[str, Any] = field(default_factory=dict)
    """Why it was taken back, or ended otherwise than by its number."""
    channels: Sequence[str] = ()
    """Keys of the channels that are told."""

    @property
    def key(self) -> TraceKey:
        """The key of its run; of no trace for a number."""
        return TraceKey(self.project, self.trace_id)

    @property
    def is_firing(self) -> bool:
        """Whether it holds."""
        return self.state is AlertState.FIRING


class RunShown(NamedTuple):
    """What a run showed when an alert fired for it: it goes with the run."""

    key: TraceKey
    id: str
    """Of the event."""
    number: int
    content: Mapping[str, Any]
    """``name``, ``question``, ``evidence`` and ``steps``, the ids of all steps."""


class Delivery(NamedTuple):
    """What became of telling one event to one channel."""

    project: str
    alert: str
    id: str
    """Of the event."""
    number: int
    channel: str
    """Key of the channel."""
    state: DeliveryState
    tries: int
    at_us: int = 0
    """When it was tried last, in microseconds since the epoch."""
    error: str = ""


class EventPlace(NamedTuple):
    """A position in the list of events, newest first."""

    at_us: int
    id: str
    number: int


def event_id(project: str, alert: str, version: int, of: str, episode: int = 0) -> str:
    """Return the id of what makes an event one: a trace, or a group and its episode."""
    parts = ("spanloom.alert.v1", project, alert, str(version), of, str(episode))
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def channel_key(kind: str, url: str) -> str:
    """Return the key of a channel: a hash, as its address may be a secret."""
    return sha256(f"{kind}\0{url}".encode()).hexdigest()[:16]
