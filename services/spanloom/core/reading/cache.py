"""What was worked out for keys that senders choose, bounded in bytes."""

from __future__ import annotations

from threading import Lock
from typing import Generic, TypeVar

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
