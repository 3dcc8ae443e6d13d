"""The processes that share one ClickHouse server, known by their heartbeats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

LIVING_S = 9
"""Seconds after its last heartbeat, by the store's clock, that a process counts as living."""


class Worker(NamedTuple):
    """One kind of work of a living process."""

    kind: str
    """``collect``, ``extract``, ``index``, ``api`` or ``keeper``."""
    id: str
    """Id of the process, chosen at random at each start."""
    release: str
    """The version of Spanloom that the process runs."""


class WorkerStore(Protocol):
    """Stores heartbeats; methods block, and raise ``SpanloomError`` while the store is away."""

    def beat(self, kinds: Sequence[str], age_s: float) -> None:
        """Record that this process is living, and for how many seconds.

        Raises ``NoHeartbeatError`` if its account may not write heartbeats, and
        ``SchemaTooNewError`` if newer releases have upgraded the store.
        """

    def end(self, kinds: Sequence[str], age_s: float) -> None:
        """Record that this process has ended, so that it stops counting as living at once."""

    def living(self) -> Sequence[Worker]:
        """Return the living processes, including this one, one row for each kind of work."""

    def close(self) -> None:
        """Close the connection."""
