"""The port for heartbeats, by which processes sharing a ClickHouse server find each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

LIVING_S = 9
"""Seconds, on the store's clock, for which a process counts as living after a heartbeat."""


class Worker(NamedTuple):
    """A living process, with one of the kinds of work that it does."""

    kind: str
    """``collect``, ``extract``, ``index``, ``api`` or ``keeper``."""
    id: str
    """Id of the process, chosen at random at each start."""
    release: str
    """The version of Spanloom that the process runs."""


class WorkerStore(Protocol):
    """Stores heartbeats; methods block, and raise ``SpanloomError`` if the store fails."""

    def beat(self, kinds: Sequence[str], age_s: float) -> None:
        """Record a heartbeat; ``age_s`` is for how many seconds this process has been running.

        Raises ``NoHeartbeatError`` if the process's account may not write heartbeats, and
        ``SchemaTooNewError`` if a newer release has upgraded the store.
        """

    def end(self, kinds: Sequence[str], age_s: float) -> None:
        """Record that this process has ended, so that it no longer counts as living."""

    def living(self) -> Sequence[Worker]:
        """Return the living processes, including this one, one row for each kind of work."""

    def close(self) -> None:
        """Close the connection."""
