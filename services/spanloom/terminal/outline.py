"""The outline of a run: a line a step, equal neighbours as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.showing.values import duration, printable
from spanloom.terminal.values import TYPE_STYLES, cut, signs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


def render_outline(lines: Sequence[dict[str, Any]], console: Console) -> None:
    """Print lines of ``core.showing.step_outline``: numbers, what it was, how long it took."""
    signs = signs_of(console)
    places = [_places(line) for line in lines]
    cells = max(map(len, places), default=0)
    for line, place in zip(lines, places, strict=True):
        kind = line["type"]
        sign = Text(f"{signs.types.get(kind, signs.dot)} ", TYPE_STYLES.get(kind, ""))
        times = f"  {line['times']} times" if "times" in line else ""
        shown = Text.assemble(
            (f"{place:>{cells}}  ", "dim"),
            sign,
            (printable(line["name"]), "bold"),
            times,
            f"  {duration(line['ms'])}",
            (f"  {printable(line['agent'])}", "dim"),
            (f"  {signs.error} {printable(line['error'])}" if "error" in line else "", "red"),
        )
        console.print(cut(shown, console.width))


def _places(line: dict[str, Any]) -> str:
    return f"{line['from']}-{line['to']}" if "to" in line else str(line["from"])
