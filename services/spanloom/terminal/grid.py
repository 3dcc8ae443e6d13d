"""Tables with a wide first column; the other columns are dropped on narrow terminals."""

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

Item = dict[str, Any]  # an item of one of the API's lists, as parsed JSON
GAP, LEAST_ROOM = 2, 32
"""Cells between columns; least width of the first column, which fits a trace id."""


class Column(NamedTuple):
    """A column to the right of the first one."""

    title: str
    from_width: int
    """Terminal width from which the column is shown."""
    cells: int
    """Width of the column; longer values are cut."""
    cell: Callable[[Item], Text]
    is_number: bool = False


class Grid:
    """Prints rows to one terminal with the same column widths, so that they align."""

    def __init__(
        self, console: Console, title: str, columns: Iterable[Column], *, is_cut: bool = True
    ) -> None:
        """Choose the columns for which the terminal is wide enough, and print their titles.

        Text too long for the first column is cut, or wrapped if ``is_cut`` is false.
        """
        self._console, self._is_cut = console, is_cut
        self._columns = [c for c in columns if console.width >= c.from_width]
        self._print(Text(title, "dim"), [Text(c.title, "dim") for c in self._columns])

    def print_row(self, first: Text, item: Item) -> None:
        """Print an item as a row, with ``first`` in the first column."""
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
    """Return the input and output tokens of a run or conversation, in two lines."""
    spent = (f"{item['input_tokens']:,}", (" in ", "dim"), f"\n{item['output_tokens']:,}")
    return Text.assemble(*spent, (" out", "dim"))


def when_cell(run: Item, now_ms: int) -> Text:
    """Return how long ago a run began, and its status, in two lines."""
    status = str(run["status"])
    ago = age(now_ms - whole(run["started_at"]))
    return Text.assemble(ago, "\n", (status, STATUS_STYLES.get(status, "")))
