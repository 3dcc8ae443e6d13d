"""Counts the writes of this process, so that whoever looks for changes need not ask for none."""

from __future__ import annotations

import threading


class Writes:
    """A context that each write of a kind is made in; one that fails counts: some may be stored.

    It tells something where no other process writes. Example: the extractor looks for new spans
    while ``ended`` is another number than it was before the last look.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._begun = self._ended = 0

    def __enter__(self) -> None:
        """Note that one is under way."""
        with self._lock:
            self._begun += 1

    def __exit__(self, *_: object) -> None:
        """Note that one has ended, however it did."""
        with self._lock:
            self._ended += 1

    @property
    def ended(self) -> int | None:
        """How many have ended; ``None`` while one is under way."""
        with self._lock:
            return self._ended if self._ended == self._begun else None
