"""A list of trajectories on a terminal, two lines each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.terminal.values import (
    STATUS_STYLES,
    TYPE_STYLES,
    Signs,
    age,
    counted,
    duration,
    printable,
    signs_of,
    went,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

_WIDE = 92
_AGENTS = 2


def render_list(items: list[dict[str, Any]], console: Console, now_ms: int) -> None:
    """Print items of the API's list as a table of two lines each."""
    if not items:
        console.print("No trajectories. `spanloom demo` sends one; filters may hide others.")
        return
    signs, is_wide = signs_of(console), console.width >= _WIDE
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("run", ratio=1, min_width=32)
    if is_wide:
        table.add_column("agents", max_width=28)
    table.add_column("steps", no_wrap=True)
    for title in ("tokens", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("when", no_wrap=True)
    for item in items:
        cells = _cells(item, signs, now_ms)
        table.add_row(cells[0], *(cells[1:] if is_wide else cells[2:]))
    console.print(table)


def _cells(item: dict[str, Any], signs: Signs, now_ms: int) -> tuple[Text, ...]:
    status = str(item["status"])
    outcome = went(str(item["outcome"]), signs)
    name = Text(printable(item["root_name"]) or "(no name)", "bold", overflow="ellipsis")
    return (
        Text.assemble(
            name,
            " " if outcome else "",
            outcome,
            "\n",
            (item["trace_id"], "dim"),
            "\n",
            overflow="ellipsis",
            no_wrap=True,
        ),
        _agents(item["agent_names"]),
        _steps(item["step_counts"]),
        Text.assemble(
            f"{item['input_tokens']:,}",
            (" in ", "dim"),
            f"\n{item['output_tokens']:,}",
            (" out", "dim"),
        ),
        Text(duration(whole(item["duration"]))),
        Text.assemble(
            age(now_ms - whole(item["started_at"])),
            "\n",
            (status, STATUS_STYLES.get(status, "")),
        ),
    )


def _agents(names: Iterable[str]) -> Text:
    """Name the first two, each once, and how many more there are."""
    different = [printable(name) for name in dict.fromkeys(names)]
    lines = Text("\n".join(different[:_AGENTS]), "magenta", no_wrap=True, overflow="ellipsis")
    if len(different) > _AGENTS:
        lines.append(f" +{len(different) - _AGENTS}", "dim")
    return lines


def _steps(counts: dict[str, int]) -> Text:
    return Text("\n").join(
        Text(counted(counts[kind], kind), TYPE_STYLES[kind])
        for kind in ("model", "tool")
        if counts.get(kind)
    )
