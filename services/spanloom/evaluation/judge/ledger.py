"""Where it is written what a budget has spent: in memory for a run, in a file for a day.

The file is shared by all processes of a user that judge with an evaluator of that name and model;
a day is one of UTC. What cannot be written is not spent: a limit that nobody counts is none.
"""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import IO

FOLDER = "spent"
"""Beside the answers that are kept."""
_MAX_FILE = 1 << 12


class BudgetSpentError(Exception):
    """A limit of the budget is reached, or cannot be counted; the message says which one."""


@dataclass
class Spent:
    """What was spent so far."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


class Ledger(Protocol):
    """Keeps what was spent; threads share it."""

    def open(self) -> AbstractContextManager[Spent]:
        """Give what was spent, to be changed; nobody else changes it meanwhile.

        Raises ``BudgetSpentError`` if it cannot be kept.
        """
        ...


@dataclass
class RunLedger:
    """In memory, as long as the evaluator lives."""

    _spent: Spent = field(default_factory=Spent)
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def open(self) -> Iterator[Spent]:
        """See ``Ledger``."""
        with self._lock:
            yield self._spent


@dataclass(frozen=True)
class DayLedger:
    """In a file; each day begins with nothing spent."""

    path: Path
    now: Callable[[], float]
    """Seconds since the epoch."""

    @contextmanager
    def open(self) -> Iterator[Spent]:
        """See ``Ledger``."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            with self.path.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                today = datetime.fromtimestamp(self.now(), UTC).date().isoformat()
                spent = _read(file, today)
                yield spent
                file.seek(0)
                file.truncate(file.write(orjson.dumps({"day": today, **asdict(spent)})))
        except (OSError, ValueError, TypeError, KeyError) as error:
            reason = f"what is spent of the budget of a day cannot be kept in {self.path}: {error}"
            raise BudgetSpentError(reason) from error


def _read(file: IO[bytes], today: str) -> Spent:
    text = file.read(_MAX_FILE)
    told = orjson.loads(text) if text else {"day": ""}
    if told["day"] != today:
        return Spent()
    return Spent(int(told["calls"]), int(told["tokens"]), float(told["usd"]))
