"""What every long-running piece of the process has in common."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from spanloom.core.errors import SpanloomError


class Part(Protocol):
    """A piece that runs until it is stopped: a receiver, the writer, the extractor, the API.

    The supervisor starts parts in order, asks each for ``failed`` twice a second and
    stops them in reverse. A part never ends the process itself and never hides its own end.
    """

    @property
    def name(self) -> str:
        """The name in log lines, in ``/readyz`` and in the line that ends the process."""

    @property
    def failed(self) -> BaseException | None:
        """Why the part has died or cannot go on; ``None`` while all is well."""

    def start(self) -> None:
        """Begin to work; return when working. Raises ``StartupError`` if that cannot be."""

    def stop(self, grace_s: float) -> None:
        """Finish what is under way for at most ``grace_s`` seconds, then end.

        Must be harmless when the part has failed.
        """


@runtime_checkable
class Listening(Protocol):
    """A part that listens on a port, which is known once it has started."""

    @property
    def port(self) -> int:
        """The TCP port."""


@runtime_checkable
class Troubled(Protocol):
    """A part that may be unable to do all its work for a while, and says so."""

    @property
    def trouble(self) -> str:
        """What it cannot do and why, in words that tell nothing of any project; empty if nothing.

        Unlike a failure it passes by itself: the process goes on, and is ready.
        """


class PartFailedError(SpanloomError):
    """A running part died or cannot go on: the process ends rather than pretend."""
