"""The measured values, each with its limit."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table

from spanloom import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PIPE_WIDTH = 150


class Bar(NamedTuple):
    """The minimum or maximum of a value."""

    limit: float
    is_upper: bool
    unit: str = ""

    def is_met(self, value: float) -> bool:
        """Return whether the value is within the limit."""
        return value <= self.limit if self.is_upper else value >= self.limit

    def __str__(self) -> str:
        """Return the limit as text: ``≤ 5 ms``."""
        return f"{'≤' if self.is_upper else '≥'} {format_value(self.limit, self.unit)}"


def at_most(limit: float, unit: str = "") -> Bar:
    """Return a maximum as a ``Bar``."""
    return Bar(limit, is_upper=True, unit=unit)


def at_least(limit: float, unit: str = "") -> Bar:
    """Return a minimum as a ``Bar``."""
    return Bar(limit, is_upper=False, unit=unit)


class Row(NamedTuple):
    """One line of the report."""

    measure: str
    value: float
    bar: Bar
    behind: str
    """The absolute values from which ``value`` is computed, and other explanations."""
    details: str = ""
    """Details, shown on request."""


def format_value(value: float, unit: str) -> str:
    """Return a value with its significant digits."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def print_rows(rows: Sequence[Row], *, is_quick: bool, is_verbose: bool) -> None:
    """Print the table, coloured on a terminal, plain in a pipe."""
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("measure", "value", "limit", "met", "measured"):
        is_number = title in ("value", "limit")
        table.add_column(title, justify="right" if is_number else "left", no_wrap=is_number)
    for row in rows:
        met = "[green]yes[/]" if row.bar.is_met(row.value) else "[red]no[/]"
        behind = f"{row.behind}\n{row.details}" if is_verbose and row.details else row.behind
        value = format_value(row.value, row.bar.unit)
        table.add_row(row.measure, value, str(row.bar), met, f"[dim]{behind}[/]")
    console.print(table)
    if is_quick:
        console.print("A quick run shows that everything works; its numbers mean nothing.")


def write_json(path: Path, rows: Sequence[Row], *, is_quick: bool) -> None:
    """Write the rows as JSON, with a description of the machine and versions."""
    report = {
        "quick": is_quick,
        "machine": {
            "cpus": os.cpu_count(),
            "architecture": platform.machine(),
            "python": platform.python_version(),
            "chdb": version("chdb-core"),
            "spanloom": __version__,
        },
        "rows": [
            {
                "measure": row.measure,
                "value": row.value,
                "unit": row.bar.unit,
                "bar": str(row.bar),
                "met": row.bar.is_met(row.value),
                "behind": row.behind,
                "details": row.details,
            }
            for row in rows
        ],
    }
    path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
