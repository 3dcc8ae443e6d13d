"""Rows of files, in any of the formats of rows, as items for a dataset."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanloom.client.transfer.datasets import PlacedItem
from spanloom.core.errors import InvalidRequestError
from spanloom.datasets.foreign.registry import recognised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.datasets.foreign.registry import RowFormat


class RowItems:
    """Items made of rows, and how often members of rows did not fit into an item."""

    def __init__(self, form: RowFormat | None) -> None:
        """Read rows of a format; without one, detect the format of each row."""
        self._form = form
        self.left_out: Counter[str] = Counter()
        """How many rows had a member that was left out."""

    def items(self, rows: Iterable[PlacedItem]) -> Iterator[PlacedItem]:
        """Yield the items of rows with their places; an invalid row with the reason."""
        for row in rows:
            if row.reason:
                yield row
                continue
            try:
                yield from self._items_of(row)
            except (InvalidRequestError, RecursionError) as error:
                yield PlacedItem(row.place, None, str(error))

    def _items_of(self, row: PlacedItem) -> Iterator[PlacedItem]:
        form = self._form or recognised(row.row)
        for found in form.read(row.row):
            self.left_out.update(found.left_out)
            yield PlacedItem(row.place, found.item, found.reason)
