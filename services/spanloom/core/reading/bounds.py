"""The one bound on reading nested text: JSON, Python's literals, flattened keys.

A parsed value takes memory by its number of items, not by its length: ``[[],[],…]`` costs twenty
times its text, and each item may become a message of its own. So a text is read only if its items
are few for its length. Beyond the bound it stays text, is shown as it came, and the trajectory
says so in ``extraction.warnings``. A reader costs at most 60 bytes for each byte of the span.

Example: 400 KB of ``{"role":"user","content":"Hello"},`` are read (an item per 8 bytes), 400 KB
of ``0,0,0,…`` are not (an item per 2 bytes).
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FREE_BYTES = 4_096
"""Shorter texts are read whatever they hold: they are small change."""
MIN_BYTES_PER_ITEM = 6
"""The densest text that is read. Log probabilities, the densest that models answer, have 8."""

_ITEMS = (",", "[", "{", "{", "(")
"""What an item begins with; an object counts twice, as it takes twice the memory of a list."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""JSON's string, to the end of the text if it is never closed: so the search stays linear."""
_unread: ContextVar[set[int] | None] = ContextVar("unread", default=None)


def may_read(text: str) -> bool:
    """Return whether JSON text has few enough items to be parsed; note it down if not."""
    if len(text) <= FREE_BYTES or is_sparse(_count_items(text), len(text)):
        return True
    # Commas inside strings are no items; to tell them apart costs more, and is rarely needed.
    if is_sparse(_count_items(_STRING.sub('""', text)), len(text)):
        return True
    note_unread(text)
    return False


def is_sparse(items: int, size: int) -> bool:
    """Return whether ``items`` in ``size`` bytes are few enough to be built up in memory."""
    return size <= FREE_BYTES or items * MIN_BYTES_PER_ITEM <= size


def note_unread(text: str) -> None:
    """Count the text among those that the trajectory under way shows as they came."""
    unread = _unread.get()
    if unread is not None:
        unread.add(hash(text))


def _count_items(text: str) -> int:
    return sum(map(text.count, _ITEMS))


@contextmanager
def watch_unread() -> Iterator[set[int]]:
    """Collect what is too dense to be read while a trajectory is built, each text once."""
    found: set[int] = set()
    token = _unread.set(found)
    try:
        yield found
    finally:
        _unread.reset(token)
