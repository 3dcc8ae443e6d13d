"""Converts rows of files, in any of the known row formats, into items for a dataset."""

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
    """Converts rows to items, and counts the members of rows that items cannot have."""

    def __init__(self, form: RowFormat | None) -> None:
        """Read rows of the given format; by default, detect the format of each row."""
        self._form = form
        self.left_out: Counter[str] = Counter()
        """Number of rows from which a member was left out, keyed by member."""

    def items(self, rows: Iterable[PlacedItem]) -> Iterator[PlacedItem]:
        """Yield the items of rows with their positions, and invalid rows with the reason."""
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
