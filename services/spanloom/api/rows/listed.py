"""Describes a list for writers of rows: how to read it from a position, and its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from spanloom.api.rows.columns import Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pydantic import BaseModel

    from spanloom.api.rows.columns import Columns
    from spanloom.api.rows.forms import Row

CursorT = TypeVar("CursorT")


class Line(Protocol):
    """An item of a list in the store."""

    @property
    def cursor(self) -> Any:  # the cursor type of the list
        """The position just after it."""


LineT = TypeVar("LineT", bound=Line)
_TEXTS = (Sort.MOMENT, Sort.LENGTH)
"""Strings in JSON, numbers in records."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[LineT, CursorT]):
    """A list that is read from a position on and shown as rows."""

    read: Callable[[int, CursorT | None], Sequence[LineT]]
    show: Callable[[LineT], BaseModel]
    columns: Columns
    """The columns to return, in this order; the model may have more."""
    after: CursorT | None
    most: int | None
    """The maximum of rows to return; ``None``: all."""
    add: Callable[[Sequence[LineT]], Sequence[Row]] | None = None
    """Reads further columns from the store, for as many of the first lines as fit in a page."""
    at_once: int | None = None
    """The maximum of rows in a page, if reading them costs more than their size suggests."""

    def shown(self, lines: Sequence[LineT]) -> Sequence[Row]:
        """Return rows as in JSON; those of the first lines only, at least one, if they are large.

        Fields hold plain values, so ``vars`` of a model equals its dump, in a third of the time.
        """
        shown: Iterable[Row] = (vars(self.show(line)) for line in lines)
        if self.add is not None:
            shown = ({**own, **added} for own, added in zip(shown, self.add(lines), strict=False))
        return plain_rows(
            ({name: row[name] for name in self.columns} for row in shown), self.columns
        )


def plain_rows(rows: Iterable[dict[str, Any]], columns: Columns) -> list[dict[str, Any]]:
    """Return rows of plain values, which may be records, as in JSON."""
    plain = list(rows)
    for name in [name for name, sort in columns.items() if sort in _TEXTS]:
        for row in plain:
            if isinstance(row[name], int):
                row[name] = str(row[name])
    for name, inner in columns.items():
        if not isinstance(inner, Sort):
            nested = plain_rows(({**vars(row[name])} for row in plain), inner)
            for row, one in zip(plain, nested, strict=True):
                row[name] = one
    return plain
