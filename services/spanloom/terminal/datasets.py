"""Prints datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    Item = Mapping[str, Any]  # a dataset as JSON


def render_datasets(items: Sequence[Item], console: Console) -> None:
    """Print datasets by name, or how to make one if there are none."""
    if not items:
        console.print("No datasets. `spanloom datasets import` and `add` make one.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("name", "draft", "version", "items", "description"):
        table.add_column(title, justify="left" if title in ("name", "description") else "right")
    for item in items:
        last = item["versions"][-1] if item["versions"] else None
        numbers = (str(last["version"]), f"{last['items']:,}") if last else ("", "")
        name, description = (
            Text(printable(item["name"]), "bold"),
            Text(printable(item["description"])),
        )
        table.add_row(name, f"{item['draft_items']:,}", *numbers, description)
    console.print(table)


def render_dataset(item: Item, console: Console) -> None:
    """Print one dataset: its description, numbers of items, and a line for each version."""
    console.print(Text(printable(item["name"]), "bold"))
    if item["description"]:
        console.print(Text(f"  {printable(item['description'])}"))
    for one in item["evaluators"]:
        name, kind = str(one.get("name", "")), str(one.get("kind", ""))
        console.print(Text(f"  evaluator  {printable(name)} {printable(kind)}"))
    console.print(Text(f"  draft  {item['draft_items']:,} items"))
    for version in item["versions"]:
        by = f", by {printable(version['made_by'])}" if version["made_by"] else ""
        console.print(Text(f"  @{version['version']}  {version['items']:,} items{by}"))
