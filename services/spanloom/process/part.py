"""The protocol of long-running parts of the process."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from spanloom.core.errors import SpanloomError


class Part(Protocol):
    """Runs until it is stopped: a receiver, the writer, the extractor, the API.

    The supervisor starts parts in order, checks ``failed`` of each twice a second and stops them
    in reverse. A part never ends the process itself and never hides its own end.
    """

    @property
    def name(self) -> str:
        """The name in log lines, in ``/readyz`` and in the last message of a failed process."""

    @property
    def failed(self) -> BaseException | None:
        """Why the part has died or cannot continue; ``None`` while it works."""

    def start(self) -> None:
        """Start; return once the part works. Raises ``StartupError`` if that fails."""

    def stop(self, grace_s: float) -> None:
        """Finish running work for at most ``grace_s`` seconds, then end.

        Must be harmless if the part has failed.
        """


@runtime_checkable
class Listening(Protocol):
    """A part that listens on a port, which is known once it has started."""

    @property
    def port(self) -> int:
        """The TCP port."""


@runtime_checkable
class Troubled(Protocol):
    """A part that reports when it cannot do all its work for a while."""

    @property
    def trouble(self) -> str:
        """The degradation and its reason, without any project's data; empty if healthy.

        Unlike a failure it passes by itself: the process continues and stays ready.
        """


class PartFailedError(SpanloomError):
    """A running part died or cannot continue, so the process ends."""
