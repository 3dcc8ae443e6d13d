"""Records what is spent of a budget: in memory while an evaluator lives, or in a file for a day.

All processes of a user share the file of an evaluator's name and model; days are UTC. If the file
cannot be written, nothing may be spent, because the limit could not be enforced.
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
"""The folder of the files with daily totals, inside the folder of cached answers."""
_MAX_FILE = 1 << 12


class BudgetSpentError(Exception):
    """A limit of the budget is reached, or cannot be counted; the message names it."""


@dataclass
class Spent:
    """Totals spent so far."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


class Ledger(Protocol):
    """Records spending; safe to share between threads."""

    def open(self) -> AbstractContextManager[Spent]:
        """Lock the totals, and yield them to be changed.

        Raises ``BudgetSpentError`` if they cannot be recorded.
        """
        ...


@dataclass
class RunLedger:
    """Totals in memory, for the life of the evaluator."""

    _spent: Spent = field(default_factory=Spent)
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def open(self) -> Iterator[Spent]:
        """See ``Ledger``."""
        with self._lock:
            yield self._spent


@dataclass(frozen=True)
class DayLedger:
    """Totals of the current day in a file."""

    path: Path
    now: Callable[[], float]
    """Returns the time in seconds since the epoch."""

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
            reason = f"the spent part of the daily budget cannot be stored in {self.path}: {error}"
            raise BudgetSpentError(reason) from error


def _read(file: IO[bytes], today: str) -> Spent:
    text = file.read(_MAX_FILE)
    record = orjson.loads(text) if text else {"day": ""}
    if record["day"] != today:
        return Spent()
    return Spent(int(record["calls"]), int(record["tokens"]), float(record["usd"]))
