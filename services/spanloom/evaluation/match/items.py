"""Finds arguments that are a subset of others; each member of an object is an item."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from spanloom.evaluation.subject.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.evaluation.subject.canonical import Budget

_Item: TypeAlias = tuple[str, str]
_Placed: TypeAlias = tuple[int, object]
_OBJECT: _Item = ("object", "")
"""An item that all objects have, so that no other value is a subset of one."""
_FEW = 16
"""For items at fewer positions, the bitmask is computed each time instead of cached."""


def masks_of_subsets(
    actual: Sequence[object], reference: Sequence[_Placed], budget: Budget
) -> list[int]:
    """Return for each actual value a bitmask of the reference values that have all its members."""
    reference_items = _ReferenceItems(reference, budget)
    found = []
    for value in actual:
        mask = reference_items.everything
        for item in _items(value, budget):
            mask &= reference_items.having(item)
            if not mask:
                break
        found.append(mask)
    return found


def masks_of_supersets(
    actual: Sequence[object], reference: Sequence[_Placed], budget: Budget
) -> list[int]:
    """Return for each actual value a bitmask of the reference values that are a subset of it.

    A reference value is a subset if the actual value has all its items.
    """
    reference_items = _ReferenceItems(reference, budget)
    return [reference_items.parts_of(_items(value, budget)) for value in actual]


class _ReferenceItems:
    """The items of the reference, and the positions of each."""

    def __init__(self, reference: Sequence[_Placed], budget: Budget) -> None:
        self._places: defaultdict[_Item, list[int]] = defaultdict(list)
        self._masks: dict[_Item, int] = {}
        self._sizes: list[int] = []
        """The number of items at each position: ``[b]`` is the set of positions that have bit b."""
        for at, value in reference:
            items = _items(value, budget)
            for item in items:
                self._places[item].append(at)
            _add_number(self._sizes, len(items), 1 << at)
        self.everything = _mask([at for at, _ in reference])

    def having(self, item: _Item) -> int:
        """Return a bitmask of the positions that have an item."""
        places = self._places.get(item, ())
        if len(places) < _FEW:
            return _mask(places)
        if item not in self._masks:
            self._masks[item] = _mask(places)
        return self._masks[item]

    def parts_of(self, items: set[_Item]) -> int:
        """Return a bitmask of the positions whose items are all in ``items``."""
        found: list[int] = []
        for item in items:
            if mask := self.having(item):
                _add_one(found, mask)
        same = self.everything
        for at in range(max(len(found), len(self._sizes))):
            same &= ~(_at(found, at) ^ _at(self._sizes, at))
        return same


def _items(value: object, budget: Budget) -> set[_Item]:
    if not isinstance(value, dict):
        return {("value", canonical(value, budget))}
    budget.spend(len(value))
    members = {(f"member {key!r}", canonical(inner, budget)) for key, inner in value.items()}
    return {_OBJECT, *members}


def _add_number(counts: list[int], number: int, mask: int) -> None:
    """Set the counts of the positions in a mask to ``number``; they must be 0 so far.

    ``counts[b]`` is the set of positions whose count has the bit ``b``.
    """
    while len(counts) < number.bit_length():
        counts.append(0)
    for at in range(number.bit_length()):
        if number >> at & 1:
            counts[at] |= mask


def _add_one(counts: list[int], mask: int) -> None:
    """Add one to the counts (see ``_add_number``) of all positions in a mask."""
    at = 0
    while mask:
        if at == len(counts):
            counts.append(0)
        counts[at], mask = counts[at] ^ mask, counts[at] & mask
        at += 1


def _at(counts: list[int], at: int) -> int:
    return counts[at] if at < len(counts) else 0


def _mask(places: Sequence[int]) -> int:
    mask = 0
    for at in places:
        mask |= 1 << at
    return mask
