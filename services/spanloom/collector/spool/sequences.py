"""Assigns sequences so that two collectors of one ClickHouse server rarely assign the same.

Sequences are microseconds since the epoch. Each collector of a server assigns only sequences with
one remainder modulo 64, which it chooses at random once and stores in its data directory.
Collectors with different remainders never assign the same sequence (for equal remainders see ADR
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
"""The modulus of sequences; each collector assigns sequences with one of the remainders.

Below 15,600 requests/s, a collector's sequences are at most 64 µs ahead of its clock.
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
    """Return the sequences with the remainder stored in a file; choose one if there is no file.

    Raises ``StartupError`` if the file does not contain a number.
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
