"""A store that records the resources used by each method of its subjects."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from benchmarks.apart import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store

READING = "read_spans"
WRITING = ("write", "record_progress")


class TimedStore:
    """Passes every call on to a store and sums CPU-seconds per method; for one caller at a time.

    The engine works in threads of its own, so a call is charged with everything that the process
    used meanwhile, including concurrent merges.
    """

    def __init__(self, store: Store) -> None:
        """Wrap this store."""
        self.cpu_s: defaultdict[str, float] = defaultdict(float)
        self._store = store

    def __getattr__(self, name: str) -> Any:  # a subject or a method of the store
        found = getattr(self._store, name)
        return self.timed(name, found) if callable(found) else _TimedSubject(self, found)

    def timed(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as one that records the usage of its calls."""

        def call(*arguments: object, **named: object) -> object:
            start = Usage.now()
            try:
                return method(*arguments, **named)
            finally:
                self.cpu_s[name] += Usage.now().since(start).cpu_s

        return call


class _TimedSubject:
    """Passes calls on to a subject of a ``TimedStore``, which records their cost."""

    def __init__(self, store: TimedStore, subject: object) -> None:
        self._store = store
        self._subject = subject

    def __getattr__(self, name: str) -> Any:  # a method or attribute of the subject
        found = getattr(self._subject, name)
        return self._store.timed(name, found) if callable(found) else found
