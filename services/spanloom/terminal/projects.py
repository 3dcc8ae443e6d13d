"""Prints projects as a table: runs, size, limits and retention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ByteSize
from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import age, counted, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from spanloom.terminal.runs import Item

UNKNOWN = "-"


def render_projects(items: Sequence[Item], console: Console, now_ms: int) -> None:
    """Print projects by name, with a dash for unknown values."""
    if not items:
        console.print("No projects. A project is created by its first span.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("project", "runs", "newest", "stored", "limits", "kept"):
        table.add_column(title, justify="right" if title in ("runs", "stored") else "left")
    for item in items:
        table.add_row(*_cells(item, now_ms))
    console.print(table)


def _cells(item: Item, now_ms: int) -> Sequence[Text | str]:
    newest, stored = item["newest_start"], item["stored_bytes"]
    return (
        Text(printable(item["project"]), "bold"),
        f"{item['runs']:,}",
        UNKNOWN if newest is None else age(now_ms - int(newest)),
        UNKNOWN if stored is None else _size(stored),
        _limits(item["limits"]) if item["limits"] else UNKNOWN,
        _retention(item["retention"]) if item["retention"] else UNKNOWN,
    )


def _limits(limits: Mapping[str, Any]) -> str:
    spans, rate, stored = (limits[n] for n in ("spans_per_s", "bytes_per_s", "stored_bytes"))
    rates = [
        f"{spans:,g} spans/s" if spans else "",
        f"{_size(rate)}/s" if rate else "",
        f"{_size(stored)} stored" if stored else "",
    ]
    return ", ".join(filter(None, rates)) or "none"


def _retention(terms: Mapping[str, int]) -> str:
    spans, runs = (_days(terms[n]) for n in ("spans_days", "trajectories_days"))
    return spans if spans == runs else f"spans {spans}, runs {runs}"


def _days(days: int) -> str:
    return counted(days, "day") if days else "without end"


def _size(size: float) -> str:
    return ByteSize(size).human_readable(decimal=True, separator=" ")
