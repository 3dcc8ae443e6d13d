"""Tables whose first column tells what a line is about; narrow terminals lose the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.showing.values import age
from spanloom.terminal.values import STATUS_STYLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console, OverflowMethod

Item = dict[str, Any]  # an item of one of the API's lists, as json gives it
GAP, LEAST_ROOM = 2, 32
"""Cells between columns; and those of the first one, in which a trace id is whole."""


class Column(NamedTuple):
    """A column beside what the line is about."""

    title: str
    from_width: int
    """Of the terminal: on a narrower one it is left out."""
    cells: int
    """As wide as what it usually holds; names are cut there."""
    cell: Callable[[Item], Text]
    is_number: bool = False


class Grid:
    """Lays rows out on one terminal, all with the same widths, so that they stand in columns."""

    def __init__(
        self, console: Console, title: str, columns: Iterable[Column], *, is_cut: bool = True
    ) -> None:
        """Choose the columns for which the terminal is wide enough, and print their titles.

        What is too long for the first column is cut, or goes on below.
        """
        self._console, self._is_cut = console, is_cut
        self._columns = [c for c in columns if console.width >= c.from_width]
        self._print(Text(title, "dim"), [Text(c.title, "dim") for c in self._columns])

    def print_row(self, first: Text, item: Item) -> None:
        """Print an item, with what it is about in the first column."""
        self._print(first, [column.cell(item) for column in self._columns])

    def _print(self, first: Text, cells: Sequence[Text]) -> None:
        room = self._console.width - GAP - sum(column.cells + GAP for column in self._columns)
        grid = Table.grid(padding=(0, GAP, 0, 0), pad_edge=True)
        overflow: OverflowMethod = "ellipsis" if self._is_cut else "fold"
        grid.add_column(width=max(room, LEAST_ROOM), no_wrap=self._is_cut, overflow=overflow)
        for column in self._columns:
            grid.add_column(
                justify="right" if column.is_number else "left",
                width=column.cells,
                no_wrap=True,
                overflow="ellipsis",
            )
        grid.add_row(first, *cells)
        self._console.print(grid)


def tokens_cell(item: Item) -> Text:
    """Return what a run, or a conversation, spent."""
    spent = (f"{item['input_tokens']:,}", (" in ", "dim"), f"\n{item['output_tokens']:,}")
    return Text.assemble(*spent, (" out", "dim"))


def when_cell(run: Item, now_ms: int) -> Text:
    """Return how long ago a run began, and how far its trajectory has come."""
    status = str(run["status"])
    ago = age(now_ms - whole(run["started_at"]))
    return Text.assemble(ago, "\n", (status, STATUS_STYLES.get(status, "")))
