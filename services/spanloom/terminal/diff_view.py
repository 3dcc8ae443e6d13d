"""Prints the diff of two runs in two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from rich.table import Table
from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.showing.values import dollars, duration, printable, shortened
from spanloom.terminal.output import TYPE_STYLES, signs_of

if TYPE_CHECKING:
    from rich.console import Console

    from spanloom.terminal.output import Signs

Json = dict[str, Any]  # the response of ``/v1/trajectories/{a}/diff/{b}``

_MARKS = {"same": " ", "changed": "~", "added": "+", "removed": "-", "moved": ">"}
_STYLES = {"same": "dim", "changed": "yellow", "added": "green", "removed": "red", "moved": "cyan"}
_TIMES = ("duration", "model_time", "tool_time")
_SIDES = ("a", "b")
MAX_VALUE_CHARS = 200


def render_diff(diff: Json, console: Console, *, with_steps: bool = True) -> None:
    """Print a heading for each run, the steps that differ in two columns, and the metrics."""
    signs = signs_of(console)
    for side in _SIDES:
        console.print(_heading(side, diff[side], signs))
    console.print()
    if diff["same"]:
        console.print("The runs are the same.")
    elif with_steps:
        console.print(_steps(diff["steps"], signs))
        console.print()
    console.print(_counts(diff["summary"], signs))
    console.print(_metrics(diff["summary"]["metrics"]))


def _heading(side: str, run: Json, signs: Signs) -> Text:
    project = printable(str(run["project"]))
    shown = f" {signs.dot} ".join(
        [f"version {run['version']}", str(run["status"]), f"project {project}"]
    )
    return Text.assemble((f"{side}  ", "bold"), (str(run["trace_id"]), "dim"), f"  {shown}")


def _steps(rows: list[Json], signs: Signs) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(width=1)
    for _ in _SIDES:
        table.add_column(ratio=1, overflow="fold")
    for row in rows:
        table.add_row(_MARKS[row["op"]], *(_step(row, side) for side in _SIDES), style="")
        for change in row.get("changes", ()):
            values = (_change(change["field"], change[side], signs) for side in _SIDES)
            table.add_row("", *values)
    return table


def _step(row: Json, side: str) -> Text:
    if f"{side}_id" not in row:
        return Text()
    place = "" if row[side] is None else f"{row[side]} "
    names = [change[side] for change in row.get("changes", ()) if change["field"] == "name"]
    name = printable(str(names[0] if names else row["name"])) or "(no name)"
    kind = (str(row["type"]), TYPE_STYLES.get(row["type"], ""))
    return Text.assemble((place, "dim"), (name, _STYLES[row["op"]]), " ", kind)


def _change(field: str, value: object, signs: Signs) -> Text:
    if value is None:
        shown = "none"
    elif field == "duration":
        shown = duration(whole(value))
    else:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        shown = shortened(text, MAX_VALUE_CHARS) or "(empty)"
    return Text.assemble(f"  {signs.dot} ", (f"{printable(field)} ", "dim"), shown)


def _counts(summary: Json, signs: Signs) -> Text:
    parts = [Text(f"{summary[op]:,} {op}", style) for op, style in _STYLES.items() if summary[op]]
    return Text(f" {signs.dot} ").join(parts)


def _metrics(metrics: Json) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, (a, b) in metrics.items():
        if (a is not None or b is not None) and not (name.endswith("_steps") and a == b == 0):
            style = "dim" if a == b else ""
            table.add_row(name.replace("_", " "), _value(name, a), _value(name, b), style=style)
    return table


def _value(name: str, value: float | None) -> str:
    if value is None:
        return "unknown"
    if name in _TIMES:
        return duration(int(value))
    return dollars(value) if name == "cost" else f"{int(value):,}"
