"""The processes that share one ClickHouse server, known by their heartbeats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

LIVING_S = 9
"""A process counts as living for so many seconds after its last heartbeat, by the store's clock."""


class Worker(NamedTuple):
    """One kind of work of a living process."""

    kind: str
    """``collect``, ``extract``, ``index``, ``api`` or ``keeper``."""
    id: str
    """Of the process, random at each start."""
    release: str
    """The version of Spanloom that it runs."""


class WorkerStore(Protocol):
    """Keeps heartbeats; methods block and raise ``SpanloomError`` while the store is away."""

    def beat(self, kinds: Sequence[str], age_s: float) -> None:
        """Record that this process lives, and since how many seconds.

        Raises ``NoHeartbeatError`` if its account may not, and ``SchemaTooNewError`` if the store
        is of newer releases by now.
        """

    def end(self, kinds: Sequence[str], age_s: float) -> None:
        """Record that this process has ended: it is no longer living, at once."""

    def living(self) -> Sequence[Worker]:
        """Return the processes that live, this one included, a row for each kind of work."""

    def close(self) -> None:
        """Close the connection."""
