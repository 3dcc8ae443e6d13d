"""Prints experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import counted, printable
from spanloom.terminal.evaluation import summary_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    Item = Mapping[str, Any]  # an experiment, or a result in it, as JSON

_STYLES = {"running": "cyan", "done": "green", "failed": "bold red", "cancelled": "dim"}
_LONGEST = 100


def render_experiments(items: Sequence[Item], console: Console) -> None:
    """Print experiments by name, or how to start one if there are none."""
    if not items:
        console.print("No experiments. `spanloom experiments start` starts one.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("name", "status", "done", "errors", "of"):
        table.add_column(title, justify="right" if title in ("done", "errors") else "left")
    for item in items:
        table.add_row(
            Text(printable(item["name"]), "bold"),
            _status(item),
            f"{item['done']:,}/{item['total']:,}",
            Text(f"{item['errors']:,}", "bold red" if item["errors"] else ""),
            Text(printable(_subject(item))),
        )
    console.print(table)


def render_experiment(item: Item, console: Console) -> None:
    """Print one experiment: its progress, and the summary of its results."""
    head = Text.assemble(Text(printable(item["name"]), "bold"), ": ", _status(item))
    done = f"{item['done']:,} of {counted(item['total'], 'run')}"
    console.print(Text.assemble(head, f", {done}, {counted(item['errors'], 'error')}"))
    if item["reason"]:
        console.print(Text(f"  {printable(item['reason'])}", "yellow"))
    console.print(Text(f"  {printable(_subject(item))}"))
    for one in item["evaluators"]:
        version = f"@{one['stored_version']}" if one["stored_version"] else ""
        named = f"{one['name']}{version} ({one['kind']})"
        console.print(Text(f"  evaluator  {printable(named)}"))
    if item["summary"]:
        console.print(summary_table(item["summary"]))
    if item["withheld"]:
        console.print(Text(f"  {item['withheld']:,} results in blind queues are withheld"))


def render_results(rows: Sequence[Item], console: Console) -> None:
    """Print results: item, score and outcome."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("item", "repeat", "score", "result", "why"):
        table.add_column(title, justify="right" if title == "repeat" else "left")
    for row in rows:
        table.add_row(
            Text(printable(row["item"])),
            str(row["repeat"]),
            Text(printable(row["name"])),
            _result(row),
            Text(printable(row["rationale"])[:_LONGEST]),
        )
    console.print(table)


def _subject(item: Item) -> str:
    repeats = f", {item['repeats']} times each" if item["repeats"] > 1 else ""
    if item["dataset"]:
        return f"dataset {item['dataset']}{repeats}"
    runs = item["runs"]
    if runs is None:
        return "scores that were sent"
    return f"runs where {runs['where']}{repeats}" if runs.get("where") else f"runs{repeats}"


def _status(item: Item) -> Text:
    return Text(item["status"], _STYLES.get(item["status"], ""))


def _result(row: Item) -> Text:
    if row["status"] != "ok":
        style = "bold red" if row["status"] == "error" else "dim"
        return Text(printable(row["error_code"] or row["status"]), style)
    if row["passed"] is None:
        return Text(printable(str(row["value"])))
    return Text("passed", "green") if row["passed"] else Text("failed", "bold red")
