"""Bytes that were accepted and that the store's own sum may not have yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_SLOTS = 64
"""While the store is away the oldest slots become one: they are needed no more finely."""
MAX_PROJECTS = 10_000
"""Projects in one slot; others count once they are stored. Senders may choose the names."""


@dataclass(slots=True)
class _Slot:
    """What was accepted between two turns."""

    newest_ns: int = 0
    sizes: Counter[str] = field(default_factory=Counter)


class Arrivals:
    """Accepted bytes by project and time; the caller sees to it that one thread at a time asks.

    Example: what came before a turn at 12:00:02 is forgotten when a sum was made while nothing
    older than that waited for the store any more.
    """

    def __init__(self, now_ns: Callable[[], int]) -> None:
        """Begin empty."""
        self._now_ns = now_ns
        self._slots = [_Slot()]
        self._totals: Counter[str] = Counter()

    def of(self, project: str) -> int:
        """Return the bytes of a project."""
        return self._totals[project]

    def add(self, sizes: Mapping[str, int]) -> None:
        """Count bytes that were accepted just now."""
        slot = self._slots[-1]
        slot.newest_ns = self._now_ns()
        for project, size in sizes.items():
            if project in slot.sizes or len(slot.sizes) < MAX_PROJECTS:
                slot.sizes[project] += size
                self._totals[project] += size

    def turn(self) -> None:
        """Keep apart what comes from now on: the sum that is made next may lack it."""
        if self._slots[-1].sizes:
            self._slots.append(_Slot())
        if len(self._slots) > MAX_SLOTS:
            oldest = self._slots.pop(0)
            self._slots[0].sizes += oldest.sizes

    def forget(self, until_ns: int) -> None:
        """Forget what was accepted before a time, as far as it came before the last turn."""
        current = self._slots.pop()
        self._slots = [slot for slot in self._slots if slot.newest_ns >= until_ns]
        self._slots.append(current)
        self._totals = sum((slot.sizes for slot in self._slots), Counter())
