"""Dead letters on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import age, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from spanloom.core.model.dead_letter import DeadLetter


def render_dead_letters(letters: Sequence[DeadLetter], now_ns: int) -> RenderableType:
    """Return the dead letters as a table, or a line where there are none."""
    if not letters:
        return "There are no dead letters."
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("seq", "accepted", "signal", "spans", "bytes", "reason"):
        table.add_column(title, no_wrap=title != "reason")
    for letter in letters:
        table.add_row(
            str(letter.seq),
            age((now_ns - letter.accepted_at_ns) // 1_000_000),
            letter.signal,
            f"{letter.span_count:,}",
            f"{letter.size:,}",
            Text(printable(letter.reason)),
        )
    return table
