"""Starts the parts of a process in order, watches them, stops them in reverse.

A part that fails makes the process unready with the reason at once, and ends it within
``FAILED_END_S``: half a process that looks alive is worse than a restart.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from spanloom.core.errors import SpanloomError
from spanloom.process.part import Listening, PartFailedError, Troubled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.process.part import Part

WATCH_S = 0.5
"""Interval in which ``failed`` of the parts is checked."""
NOTICE_S = 1.0
"""How long ``/readyz`` reports the reason before the parts of a failed process are stopped."""
FAILED_GRACE_S = 1.0
"""Time for the other parts to finish when one has failed."""
FAILED_END_S = 4.0
"""Time after which a process with a failed part is killed if a part blocks its end."""
_MIN_GRACE_S = 0.5


class Ending(Protocol):
    """Signals that a process should end, like ``threading.Event``."""

    def wait(self, timeout: float, /) -> bool:
        """Return whether the process should end, after at most ``timeout`` seconds."""


class Supervisor:
    """The parts of one process, and other resources that are closed in order."""

    def __init__(self, shutdown_s: float) -> None:
        """Allow all parts together ``shutdown_s`` seconds to stop."""
        self._shutdown_s = shutdown_s
        self._parts: list[Part] = []
        self._ends = ExitStack()
        self._state: Sequence[str] = ("starting",)
        self._stop_by = float("inf")

    def start(self, part: Part) -> None:
        """Start a part; parts are stopped in reverse order."""
        self._ends.callback(lambda: part.stop(self._left_s()))
        self._parts.append(part)
        part.start()

    def at_end(self, close: Callable[[], object]) -> None:
        """Register a callback that runs at the stop, as if it were a part started now."""
        self._ends.callback(close)

    def started(self) -> None:
        """Mark the start as complete: the process is ready unless a part has failed."""
        self._state = ()

    def unready(self) -> Sequence[str]:
        """Return the reasons why the process is not ready; empty if it is."""
        return [reason for part in self._parts if (reason := _failure_of(part))] or self._state

    def troubles(self) -> Sequence[str]:
        """Return current degradations of parts; empty if healthy."""
        return [part.trouble for part in self._parts if isinstance(part, Troubled) and part.trouble]

    def ports(self) -> Mapping[str, int]:
        """Return the port of each listening part, by its name."""
        return {part.name: part.port for part in self._parts if isinstance(part, Listening)}

    def wait(self, until: Ending) -> None:
        """Return when the event is set; raise ``PartFailedError`` if a part fails first."""
        while not until.wait(WATCH_S):
            for part in self._parts:
                if reason := _failure_of(part):
                    self._shutdown_s = min(self._shutdown_s, FAILED_GRACE_S)
                    until.wait(NOTICE_S)
                    raise PartFailedError(reason) from part.failed

    def stop(self) -> None:
        """Stop all parts in reverse order."""
        self._state = ("stopping",)
        self._stop_by = time.monotonic() + self._shutdown_s
        self._ends.close()

    def _left_s(self) -> float:
        return max(self._stop_by - time.monotonic(), _MIN_GRACE_S)


def _failure_of(part: Part) -> str:
    """Return a line with the reason why a part failed; empty if it has not."""
    error = part.failed
    if error is None:
        return ""
    text = str(error) if isinstance(error, SpanloomError) else repr(error)
    return f"the part {part.name!r} has failed: {text}"
