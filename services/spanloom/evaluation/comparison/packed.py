"""Sums many columns over the groups of a random draw: each group is packed into one integer.

Python adds integers of any size quickly, so a draw costs one addition for each group, whatever the
number of columns. Values become fixed-point numbers of 44 bits in fields of 64, so that sums of up
to a million groups fit and are exact: the same input gives the same bytes on any machine.
"""

from __future__ import annotations

from array import array
from sys import byteorder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BITS = 44
_BYTES = 8


class Packed:
    """Columns of numbers, with one value for each group."""

    def __init__(self, columns: Sequence[Sequence[float]]) -> None:
        """Pack columns of equal length."""
        self._lows = [min(column) for column in columns]
        self._units = [
            ((max(column) - low) / (1 << _BITS)) or 1.0
            for column, low in zip(columns, self._lows, strict=True)
        ]
        self._size = _BYTES * len(columns)
        self._groups = [self._pack(group) for group in zip(*columns, strict=True)]

    def _pack(self, group: Sequence[float]) -> int:
        scaled = array("Q")
        for value, low, unit in zip(group, self._lows, self._units, strict=True):
            scaled.append(round((value - low) / unit))
        return int.from_bytes(scaled.tobytes(), byteorder)

    def sums(self, draw: Iterable[int], size: int) -> list[float]:
        """Return the sum of each column over the ``size`` groups of a draw."""
        total = sum(map(self._groups.__getitem__, draw))
        fields = array("Q")
        fields.frombytes(total.to_bytes(self._size, byteorder))
        return [
            value * unit + low * size
            for value, unit, low in zip(fields, self._units, self._lows, strict=True)
        ]
