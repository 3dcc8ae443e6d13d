"""Prints the diff of two runs in two columns, with messages as text instead of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from rich.table import Table
from rich.text import Text

from spanloom.core.diff.message_text import (
    common_prefix_length,
    differing_messages,
    is_message_list,
)
from spanloom.core.document import whole
from spanloom.core.showing.values import dollars, duration, printable, shortened
from spanloom.terminal.output import TYPE_STYLES, signs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
            for values in _lines(change, signs):
                sides = zip(_SIDES, values, strict=True)
                table.add_row("", *(text if f"{s}_id" in row else Text() for s, text in sides))
    return table


def _step(row: Json, side: str) -> Text:
    if f"{side}_id" not in row:
        return Text()
    place = "" if row[side] is None else f"{row[side]} "
    names = [change[side] for change in row.get("changes", ()) if change["field"] == "name"]
    name = printable(str(names[0] if names else row["name"])) or "(no name)"
    kind = (str(row["type"]), TYPE_STYLES.get(row["type"], ""))
    return Text.assemble((place, "dim"), (name, _STYLES[row["op"]]), " ", kind)


def _lines(change: Json, signs: Signs) -> Iterator[list[Text]]:
    """Yield the two cells of a change.

    For lists of messages, a pair for each message that differs.
    """
    field, a, b = (change[name] for name in ("field", *_SIDES))
    pairs = differing_messages(a, b) if is_message_list(a) or is_message_list(b) else [(a, b)]
    for pair in pairs:
        yield [_change(field, value, signs) for value in _apart(*pair)]


def _apart(a: object, b: object) -> tuple[object, object]:
    """Return two values; long texts and JSON start shortly before their first difference."""
    a, b = (_as_json(value) if isinstance(value, dict | list) else value for value in (a, b))
    if not isinstance(a, str) or not isinstance(b, str):
        return a, b
    start = common_prefix_length(a, b) - MAX_VALUE_CHARS // 4
    return (a, b) if start < MAX_VALUE_CHARS // 2 else (f"…{a[start:]}", f"…{b[start:]}")


def _change(field: str, value: object, signs: Signs) -> Text:
    if value is None:
        shown = "none"
    elif field == "duration":
        shown = duration(whole(value))
    else:
        text = value if isinstance(value, str) else _as_json(value)
        shown = shortened(text, MAX_VALUE_CHARS) or "(empty)"
    return Text.assemble(f"  {signs.dot} ", (f"{printable(field)} ", "dim"), shown)


def _as_json(value: object) -> str:
    return orjson.dumps(value).decode()


def _counts(summary: Json, signs: Signs) -> Text:
    parts = [Text(f"{summary[op]:,} {op}", style) for op, style in _STYLES.items() if summary[op]]
    return Text(f" {signs.dot} ").join(parts)


def _metrics(metrics: Json) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, (a, b) in metrics.items():
        if (a is not None or b is not None) and not (name.endswith("_steps") and a == b == 0):
            style = "dim" if a == b else ""
            values = (_value(name, a), _value(name, b), _difference(name, a, b))
            table.add_row(name.replace("_", " "), *values, style=style)
    return table


def _difference(name: str, a: float | None, b: float | None) -> str:
    """Return the difference from the first value to the second, also in per cent of the first."""
    if a is None or b is None or a == b:
        return ""
    sign = "+" if b > a else "-"
    share = f" ({(b - a) / a:+.0%})" if a else ""
    return f"{sign}{_value(name, abs(b - a))}{share}"


def _value(name: str, value: float | None) -> str:
    if value is None:
        return "unknown"
    if name in _TIMES:
        return duration(int(value))
    return dollars(value) if name == "cost" else f"{int(value):,}"
