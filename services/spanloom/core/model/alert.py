"""Alerts, their events, and the deliveries of events to channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_ALERTS = 200
"""Maximum number of alerts in a project."""
MOST_CHANNELS = 10
"""Maximum number of channels of an alert."""


class AlertState(StrEnum):
    """The state of an alert for one run, or for one group of a metric."""

    FIRING = "firing"
    """The condition holds."""
    RESOLVED = "resolved"
    """The metric is within its threshold again."""
    WITHDRAWN = "withdrawn"
    """A later version of the run does not meet the condition."""


class DeliveryState(StrEnum):
    """The state of a delivery to a channel."""

    PENDING = "pending"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    """Delivery failed and is no longer retried."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One revision of an alert."""

    project: str
    name: str
    revision: int
    """Counts the alert's changes; the highest revision is current."""
    version: int
    """Grows when the condition changes, but not with the channels, the severity or a pause."""
    definition: Mapping[str, Any] = field(default_factory=dict)
    """The alert in the form that ``PUT /v1/alerts/{name}`` accepts."""
    at_us: int = 0
    """The time at which the revision was stored, in microseconds since the epoch."""
    put_by: str = ""
    is_deleted: bool = False
    change: str = ""
    """A random text that orders two changes with the same revision and time of storage."""

    @property
    def place(self) -> tuple[str, str]:
        """The alert's project and name."""
        return self.project, self.name


@dataclass(frozen=True, slots=True)
class AlertEvent:
    """A change of an alert's state for a run, or for a group.

    All events for a run, and all events for an episode of a group, have the same ``id``.
    """

    project: str
    alert: str
    alert_version: int
    id: str
    number: int
    """Counts the events with this id, from 1."""
    state: AlertState
    at_us: int
    """The time of the event, in microseconds since the epoch."""
    trace_id: str = ""
    """The trace id of the run; empty for an alert on a metric."""
    version: int = 0
    """The version of the trajectory in which the state changed."""
    group: Sequence[Any] = ()
    """The values of the fields by which an alert on a metric is grouped."""
    episode: int = 0
    """Counts how often the alert fired for the group, from 1."""
    value: float | None = None
    """The value of the metric."""
    reason: Mapping[str, Any] = field(default_factory=dict)
    """The reason why the alert was withdrawn, or was resolved although the metric did not
    change."""
    channels: Sequence[str] = ()
    """Keys of the channels to notify."""

    @property
    def key(self) -> TraceKey:
        """The key of the event's run; the trace id is empty for an alert on a metric."""
        return TraceKey(self.project, self.trace_id)

    @property
    def is_firing(self) -> bool:
        """Whether the condition holds."""
        return self.state is AlertState.FIRING


class RunEvidence(NamedTuple):
    """Evidence copied from a run when an alert fired for it; deleted with the run."""

    key: TraceKey
    id: str
    """The event's id."""
    number: int
    content: Mapping[str, Any]
    """``name``, ``question``, ``evidence``, and ``steps``, the ids of all steps of the run."""


class Delivery(NamedTuple):
    """The state of delivering one event to one channel."""

    project: str
    alert: str
    id: str
    """The event's id."""
    number: int
    channel: str
    """The channel's key."""
    state: DeliveryState
    tries: int
    at_us: int = 0
    """The time of the last attempt, in microseconds since the epoch."""
    error: str = ""


class EventPlace(NamedTuple):
    """A position in the list of events, whose order is newest first."""

    at_us: int
    id: str
    number: int


def event_id(project: str, alert: str, version: int, of: str, episode: int = 0) -> str:
    """Return the id of the events about one trace, or about one group and episode."""
    parts = ("spanloom.alert.v1", project, alert, str(version), of, str(episode))
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def channel_key(kind: str, url: str) -> str:
    """Return the key of a channel: a hash, because its URL may contain a secret."""
    return sha256(f"{kind}\0{url}".encode()).hexdigest()[:16]
