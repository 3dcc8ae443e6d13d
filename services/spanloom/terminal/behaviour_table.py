"""Prints the differences in behaviour between two sets of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from rich.console import Console

    from spanloom.evaluation.comparison.result import Behaviour, BehaviourChange, ComparedSide


def render_behaviour(found: Behaviour, console: Console) -> None:
    """Print both sets, then each difference in a line, with the query for its runs in B."""
    for name, side in (("a", found.a), ("b", found.b)):
        console.print(_heading(name, side))
    console.print()
    if found.differences:
        console.print(_table(found.differences))
    else:
        console.print("No difference is shown.")
    console.print()
    console.print(Text(f"{found.no_difference_shown} features without a difference.", "dim"))
    for remark in found.remarks:
        console.print(Text(printable(remark), "yellow"))


def _heading(name: str, side: ComparedSide) -> Text:
    question = printable(side.question) or "all"
    return Text.assemble((f"{name}  ", "bold"), f"{side.runs:,} runs  ", (question, "dim"))


def _table(changes: list[BehaviourChange]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("feature", overflow="fold", ratio=2)
    for title in ("a", "b", "difference", "95 %"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("runs of b", overflow="fold", ratio=3)
    for change in changes:
        style = "green" if change.difference > 0 else "red"
        table.add_row(
            Text(printable(change.feature), "bold"),
            _number(change, change.a),
            _number(change, change.b),
            Text(_number(change, change.difference, sign="+"), style),
            f"{_number(change, change.low, sign='+')} to {_number(change, change.high, sign='+')}",
            Text(printable(change.runs_b), "cyan"),
        )
    return table


def _number(change: BehaviourChange, value: float, sign: str = "") -> str:
    return f"{value:{sign}.1%}" if change.kind == "share" else f"{value:{sign},.4g}"
