"""Prints online rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import duration, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    Item = Mapping[str, Any]  # an online rule as JSON

_STATES = ("done", "pending", "deferred", "error", "stale")


def render_online_rules(items: Sequence[Item], console: Console) -> None:
    """Print rules by name with their progress, or how to make one if there are none."""
    if not items:
        console.print("No online rules. `spanloom online-rules put` makes one.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("name", "version", "sample", *_STATES, "lag", "where"):
        table.add_column(title, justify="left" if title in ("name", "where") else "right")
    for item in items:
        name = Text(printable(item["name"]), "bold")
        if item["paused"]:
            name.append(" paused", "dim")
        counts = (f"{item['progress'][state]:,}" for state in _STATES)
        numbers = (str(item["version"]), f"{item['sample']:g}", *counts, _lag(item))
        table.add_row(name, *numbers, Text(printable(item["where"])))
    console.print(table)


def render_online_rule(item: Item, console: Console) -> None:
    """Print one rule: which runs it judges, by which evaluators, and its progress."""
    head = Text(printable(item["name"]), "bold")
    head.append(f" @{item['version']}{' paused' if item['paused'] else ''}", "dim")
    console.print(head)
    for name, text in _lines(item):
        console.print(Text(f"  {name:<10} {printable(text)}"))


def _lines(item: Item) -> list[tuple[str, str]]:
    budget, backfill, progress = item["budget"] or {}, item["backfill"], item["progress"]
    limits = (f"{limit:g} {name}" for name, limit in budget.items() if limit is not None)
    lines = [
        ("where", item["where"] or "every run"),
        *(("evaluator", f"{e.get('name', '')} {e.get('kind', '')}") for e in item["evaluators"]),
        ("sample", f"{item['sample']:g} of each {item['unit']}"),
        ("when", f"{item['when']}, {item['delay_s']:g} s later"),
        ("budget", ", ".join(limits) + " a day" if budget else "no limit"),
    ]
    if backfill is not None:
        state = "at its end" if backfill["done"] else "under way"
        lines.append(("backfill", f"{state}, {backfill['taken']:,} runs"))
    counts = ", ".join(f"{progress[state]:,} {state}" for state in _STATES)
    return [*lines, ("runs", counts), ("lag", _lag(item))]


def _lag(item: Item) -> str:
    return duration(round(item["progress"]["lag_s"] * 1_000))
