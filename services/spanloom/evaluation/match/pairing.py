"""Pairs the calls of two runs so that as many as possible have a partner (Hopcroft and Karp)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BEST = 2_000
"""Maximum calls per side for the largest pairing; beyond it, a call takes the first free match."""


def pair(masks: Sequence[int], *, is_best: bool = True) -> list[int]:
    """Return the partner of each row, -1 for none; ``masks`` has each row's allowed columns.

    If not ``is_best``, each row takes the first free column. Rows and columns are visited in order,
    so that the same input gives the same pairs.
    """
    pairing = _Pairing(masks)
    pairing.take_first()
    while is_best and pairing.improve():
        pass
    return pairing.partner


class _Pairing:
    def __init__(self, masks: Sequence[int]) -> None:
        self.masks = masks
        self.partner = [-1] * len(masks)
        self._owner: dict[int, int] = {}
        """The row of each paired column."""
        self._free = 0
        """The set of free columns, as bits."""
        for mask in masks:
            self._free |= mask

    def take_first(self) -> None:
        """Pair each row with the first free column."""
        for row, mask in enumerate(self.masks):
            if left := mask & self._free:
                self._take(row, _lowest(left))

    def _take(self, row: int, column: int) -> None:
        self.partner[row] = column
        self._owner[column] = row
        self._free &= ~(1 << column)

    def improve(self) -> bool:
        """Augment along disjoint shortest paths to free columns; return whether any exists."""
        alone = [row for row, column in enumerate(self.partner) if column < 0 and self.masks[row]]
        layers = self._layers(alone)
        if not layers:
            return False
        for row in alone:
            self._swap_along(row, layers)
        return True

    def _layers(self, rows: Sequence[int]) -> list[int]:
        """Return the columns at each distance from unpaired rows, up to the first free column."""
        layers: list[int] = []
        seen = 0
        while rows:
            reached = 0
            for row in rows:
                reached |= self.masks[row]
            reached &= ~seen
            if free := reached & self._free:
                return [*layers, free]
            seen |= reached
            layers.append(reached)
            rows = [self._owner[column] for column in _bits(reached)]
        return []

    def _swap_along(self, start: int, layers: list[int]) -> None:
        """Find a path from a row through one column of each layer, and augment along it."""
        path: list[tuple[int, int]] = []
        row = start
        while True:
            depth = len(path)
            if left := self.masks[row] & layers[depth]:
                column = _lowest(left)
                layers[depth] &= ~(1 << column)
                path.append((row, column))
                if len(path) == len(layers):
                    break
                row = self._owner[column]
            elif not path:
                return
            else:
                row, _ = path.pop()
        for row, column in path:
            self._take(row, column)


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _bits(mask: int) -> Iterator[int]:
    while mask:
        column = _lowest(mask)
        yield column
        mask &= mask - 1
