"""The components of a process: started in order, watched, and stopped in reverse.

When a component fails, the process at once reports itself as not ready, with the reason, and ends
within ``FAILED_END_S``, because a process that works only partly is worse than a restart.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Part(Protocol):
    """A component that runs until it is stopped: a receiver, the writer, the extractor, the API.

    The supervisor starts components in order, checks their ``failed`` twice a second and stops them
    in reverse. A component never ends the process itself; it reports its own end in ``failed``.
    """

    @property
    def name(self) -> str:
        """The name in log lines, in ``/readyz`` and in the last message of a failed process."""

    @property
    def failed(self) -> BaseException | None:
        """Why the component has died or cannot continue; ``None`` while it works."""

    def start(self) -> None:
        """Start; return once the component works. Raises ``StartupError`` if that fails."""

    def stop(self, grace_s: float) -> None:
        """Finish running work for at most ``grace_s`` seconds, then end.

        Must be harmless if the component has failed.
        """


@runtime_checkable
class Listening(Protocol):
    """A component that listens on a port; the port is known once the component has started."""

    @property
    def port(self) -> int:
        """The TCP port."""


@runtime_checkable
class Troubled(Protocol):
    """A component that reports when it temporarily cannot do all its work."""

    @property
    def trouble(self) -> str:
        """The degradation and its reason, without any project's data; empty if healthy.

        Unlike a failure, a degradation passes by itself: the process continues and stays ready.
        """


class PartFailedError(SpanloomError):
    """A running component died or cannot continue, so the process ends."""


WATCH_S = 0.5
"""Seconds between checks of each component's ``failed``."""
NOTICE_S = 1.0
"""Seconds for which ``/readyz`` reports a failure before the process stops its components."""
FAILED_GRACE_S = 1.0
"""Seconds for the other components to finish after a component has failed."""
FAILED_END_S = 4.0
"""Seconds after which a process with a failed component is killed if a component blocks it."""
_MIN_GRACE_S = 0.5


class Ending(Protocol):
    """Signals that a process should end, like ``threading.Event``."""

    def wait(self, timeout: float, /) -> bool:
        """Return whether the process should end, after at most ``timeout`` seconds."""


class Supervisor:
    """The components of one process, and other resources that are closed in order."""

    def __init__(self, shutdown_s: float) -> None:
        """Allow all components together ``shutdown_s`` seconds to stop."""
        self._shutdown_s = shutdown_s
        self._parts: list[Part] = []
        self._ends = ExitStack()
        self._state: Sequence[str] = ("starting",)
        self._stop_by = float("inf")

    def start(self, part: Part) -> None:
        """Start a component; components are stopped in reverse order."""
        self._ends.callback(lambda: part.stop(self._left_s()))
        self._parts.append(part)
        part.start()

    def at_end(self, close: Callable[[], object]) -> None:
        """Register a callback for the stop; it runs as if it stopped a component started now."""
        self._ends.callback(close)

    def started(self) -> None:
        """Mark the start as complete: the process is ready unless a component has failed."""
        self._state = ()

    def unready(self) -> Sequence[str]:
        """Return the reasons why the process is not ready; empty if it is."""
        return [reason for part in self._parts if (reason := _failure_of(part))] or self._state

    def troubles(self) -> Sequence[str]:
        """Return current degradations of components; empty if healthy."""
        return [part.trouble for part in self._parts if isinstance(part, Troubled) and part.trouble]

    def ports(self) -> Mapping[str, int]:
        """Return the port of each listening component, keyed by its name."""
        return {part.name: part.port for part in self._parts if isinstance(part, Listening)}

    def wait(self, until: Ending) -> None:
        """Return when the event is set; raise ``PartFailedError`` if a component fails first."""
        while not until.wait(WATCH_S):
            for part in self._parts:
                if reason := _failure_of(part):
                    self._shutdown_s = min(self._shutdown_s, FAILED_GRACE_S)
                    until.wait(NOTICE_S)
                    raise PartFailedError(reason) from part.failed

    def stop(self) -> None:
        """Stop all components in reverse order."""
        self._state = ("stopping",)
        self._stop_by = time.monotonic() + self._shutdown_s
        self._ends.close()

    def _left_s(self) -> float:
        return max(self._stop_by - time.monotonic(), _MIN_GRACE_S)


def _failure_of(part: Part) -> str:
    """Return a line with the reason why a component failed; empty if it has not failed."""
    error = part.failed
    if error is None:
        return ""
    text = str(error) if isinstance(error, SpanloomError) else repr(error)
    return f"the part {part.name!r} has failed: {text}"
