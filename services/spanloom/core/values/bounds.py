"""The bound on reading nested text, and a cache bounded in bytes."""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

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


K = TypeVar("K")
V = TypeVar("V")

_LARGEST_SHARE = 64
"""An entry above this fraction of the whole is not kept: it would push out too many others."""


class ByteCache(Generic[K, V]):
    """Keeps answers until they are larger than ``max_bytes`` together, then drops the oldest."""

    def __init__(self, max_bytes: int) -> None:
        """Begin empty."""
        self.max_bytes = max_bytes
        self.bytes_used = 0
        self._entries: dict[K, tuple[V, int]] = {}
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return what is kept for the key."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def keep(self, key: K, value: V, size: int) -> V:
        """Keep the value, which takes about ``size`` bytes with its key, and return it."""
        if size * _LARGEST_SHARE <= self.max_bytes:
            with self._lock:
                self._insert(key, value, size)
        return value

    def _insert(self, key: K, value: V, size: int) -> None:
        _, replaced = self._entries.pop(key, (None, 0))
        self._entries[key] = value, size
        self.bytes_used += size - replaced
        while self.bytes_used > self.max_bytes:
            oldest = next(iter(self._entries))
            self.bytes_used -= self._entries.pop(oldest)[1]
