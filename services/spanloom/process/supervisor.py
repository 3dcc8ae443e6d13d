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
"""How often the parts are asked whether they have failed."""
NOTICE_S = 1.0
"""How long ``/readyz`` tells the reason before the parts of a failed process are stopped."""
FAILED_GRACE_S = 1.0
"""What the other parts get to finish in when one has failed."""
FAILED_END_S = 4.0
"""When a process with a failed part is ended from without if a part does not let it end."""
_MIN_GRACE_S = 0.5


class Ending(Protocol):
    """Says when a process is to end, as ``threading.Event`` does."""

    def wait(self, timeout: float, /) -> bool:
        """Return whether it is, after so many seconds at the latest."""


class Supervisor:
    """The parts of one process, and whatever else has to be closed in its turn."""

    def __init__(self, shutdown_s: float) -> None:
        """Allow all parts together ``shutdown_s`` seconds to stop."""
        self._shutdown_s = shutdown_s
        self._parts: list[Part] = []
        self._ends = ExitStack()
        self._state: Sequence[str] = ("starting",)
        self._stop_by = float("inf")

    def start(self, part: Part) -> None:
        """Start a part; it is stopped before everything that was started before it."""
        self._ends.callback(lambda: part.stop(self._left_s()))
        self._parts.append(part)
        part.start()

    def at_end(self, close: Callable[[], object]) -> None:
        """Have something closed in its turn, as if it were a part started now."""
        self._ends.callback(close)

    def started(self) -> None:
        """Declare the start complete: the process is ready unless a part has failed."""
        self._state = ()

    def unready(self) -> Sequence[str]:
        """Return the reasons why the process cannot do its work, none if it can."""
        return [reason for part in self._parts if (reason := _failure_of(part))] or self._state

    def troubles(self) -> Sequence[str]:
        """Return what parts cannot do at the moment, none if they do all."""
        return [part.trouble for part in self._parts if isinstance(part, Troubled) and part.trouble]

    def ports(self) -> Mapping[str, int]:
        """Return the port of each part that listens, by the part's name."""
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
        """Stop all parts, the last started first."""
        self._state = ("stopping",)
        self._stop_by = time.monotonic() + self._shutdown_s
        self._ends.close()

    def _left_s(self) -> float:
        return max(self._stop_by - time.monotonic(), _MIN_GRACE_S)


def _failure_of(part: Part) -> str:
    """Return in one line why a part failed; empty if it has not."""
    error = part.failed
    if error is None:
        return ""
    text = str(error) if isinstance(error, SpanloomError) else repr(error)
    return f"the part {part.name!r} has failed: {text}"
