"""Bytes that were accepted and that the store's own sum may not have yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SLOTS = 64
"""While the store is away the oldest slots become one: they are needed no more finely."""
MAX_PROJECTS = 10_000
"""Projects in one slot; others count once they are stored. Senders may choose the names."""


@dataclass(slots=True)
class _Slot:
    """What was accepted between two turns."""

    newest_seq: int = 0
    sizes: Counter[str] = field(default_factory=Counter)


class Arrivals:
    """Accepted bytes by project, in order; the caller sees to it that one thread at a time asks.

    Example: of what came before a turn the newest request was number 7. It is forgotten when a sum
    was made while none below 8 waited for the store any more. A clock plays no part: it may be set.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self._slots = [_Slot()]
        self._totals: Counter[str] = Counter()

    def of(self, project: str) -> int:
        """Return the bytes of a project."""
        return self._totals[project]

    def add(self, sizes: Mapping[str, int], seq: int) -> None:
        """Count bytes that were accepted, by a request of this number or one below."""
        slot = self._slots[-1]
        slot.newest_seq = max(slot.newest_seq, seq)
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

    def forget(self, stored_before: int) -> None:
        """Forget requests below a number, as far as they came before the last turn."""
        current = self._slots.pop()
        self._slots = [slot for slot in self._slots if slot.newest_seq >= stored_before]
        self._slots.append(current)
        self._totals = sum((slot.sizes for slot in self._slots), Counter())
