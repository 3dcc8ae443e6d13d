"""Sequence numbers that two collectors of one store rarely share.

Sequences are microseconds since the epoch. Each collector over a server assigns only sequences with
one remainder modulo 64. The remainder is chosen at random once and stored in its data directory, so
collectors with different remainders never assign the same sequence (for equal remainders see ADR
4).
"""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from pathlib import Path

COLLECTORS = 64
"""The number of remainders.

A collector is at most this many microseconds ahead of its clock, up to 15,600 requests/s.
"""


class Sequences(NamedTuple):
    """The sequences that a spool assigns, all with the same remainder."""

    number: int = 0
    of: int = 1

    def after(self, last: int, now_us: int) -> int:
        """Return the first sequence after ``last`` that is not in the past."""
        first = max(last + 1, now_us)
        return first + (self.number - first) % self.of


EVERY = Sequences()
"""All sequences, for the only collector of a store."""


def own_sequences(path: Path) -> Sequences:
    """Return the sequences of the collector whose number is in a file; choose one if missing.

    Raises ``StartupError`` if the file has no number.
    """
    if not path.exists():
        _write(path, secrets.randbelow(COLLECTORS))
    text = path.read_text("ascii", errors="replace").strip()
    if not text.isdecimal() or int(text) >= COLLECTORS:
        raise StartupError(f"{path} must have a number below {COLLECTORS}, not {text[:20]!r}")
    return Sequences(int(text), COLLECTORS)


def _write(path: Path, number: int) -> None:
    new = path.with_suffix(".new")
    with new.open("w") as file:
        file.write(f"{number}\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
