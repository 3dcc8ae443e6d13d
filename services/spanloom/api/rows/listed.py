"""A list as rows: how it is read from a position on, and what is shown of each of its lines."""

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
    """What a list shows."""

    @property
    def cursor(self) -> Any:  # of the list
        """The position just behind it."""


LineT = TypeVar("LineT", bound=Line)
_TEXTS = (Sort.MOMENT, Sort.LENGTH)
"""What JSON has as texts, and records as numbers."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[LineT, CursorT]):
    """A list to be read from a position on."""

    read: Callable[[int, CursorT | None], Sequence[LineT]]
    show: Callable[[LineT], BaseModel]
    columns: Columns
    """Those to give, in this order; the model may have more."""
    after: CursorT | None
    most: int | None
    """The most rows to give; ``None``: all."""
    add: Callable[[Sequence[LineT]], Sequence[Row]] | None = None
    """What the store is asked for besides: of the first lines, as many as it has room for."""
    at_once: int | None = None
    """The most rows of a page, where they cost the store more than they weigh."""

    def shown(self, lines: Sequence[LineT]) -> Sequence[Row]:
        """Return rows as JSON has them; of fewer lines, one at least, where they would be large.

        Nothing in them is a model, so what a model holds is what it would be dumped to, at a
        third of the time.
        """
        shown: Iterable[Row] = (vars(self.show(line)) for line in lines)
        if self.add is not None:
            shown = ({**own, **added} for own, added in zip(shown, self.add(lines), strict=False))
        rows = [{name: row[name] for name in self.columns} for row in shown]
        for name in [name for name, sort in self.columns.items() if sort in _TEXTS]:
            for row in rows:
                if isinstance(row[name], int):
                    row[name] = str(row[name])
        for name in [name for name, sort in self.columns.items() if not isinstance(sort, Sort)]:
            for row in rows:
                row[name] = vars(row[name])  # a row within the row
        return rows
