"""Prints scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import age, printable, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    Item = Mapping[str, Any]  # a score as JSON

_WHY_CELLS = 60
_STYLES = {"error": "bold red", "na": "dim", "skipped": "dim"}


def render_scores(items: Sequence[Item], console: Console, now_ms: int) -> None:
    """Print scores in the given order, or how to store a score if there are none."""
    if not items:
        console.print("No scores. `spanloom scores add` and `spanloom eval run --send` make some.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("of", "name", "value", "passed", "by", "age", "why"):
        table.add_column(title, justify="right" if title == "age" else "left")
    for item in items:
        why = item["rationale"] or item["error_code"]
        table.add_row(
            Text(printable(_about(item)), overflow="fold"),
            Text(printable(item["name"]), "bold", overflow="fold"),
            _value(item),
            _passed(item["passed"]),
            Text(printable(f"{item['author']} ({item['source']})"), overflow="fold"),
            Text(age(max(now_ms - int(item["at"]), 0)), "dim"),
            Text(shortened(why, _WHY_CELLS), "dim"),
        )
    console.print(table)


def _about(item: Item) -> str:
    if item["target"] == "item":
        return f"item {item['item']}"
    if item["target"] == "conversation":
        return f"conversation {item['conversation_id']}"
    step = f" {item['target']} {item['step_id']}" if item["step_id"] else ""
    return f"{item['trace_id']}{step}"


def _value(item: Item) -> Text:
    if item["status"] != "ok":
        return Text(printable(item["status"]), _STYLES.get(item["status"], ""))
    value = item["value"]
    shown = f"{value:.6g}" if isinstance(value, float) else str("" if value is None else value)
    label = f" {item['label']}" if item["label"] else ""
    stale = Text(" stale", "yellow") if item.get("stale") else Text()
    return Text.assemble(
        shortened(shown.lower() if isinstance(value, bool) else shown, 40), printable(label), stale
    )


def _passed(passed: bool | None) -> Text:
    if passed is None:
        return Text()
    return Text("yes", "green") if passed else Text("no", "bold red")
