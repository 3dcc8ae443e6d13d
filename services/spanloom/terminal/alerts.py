"""Prints alerts and their events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import age, counted, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    Item = Mapping[str, Any]  # an alert, or an event, as JSON

_STYLES = {"firing": "bold red", "withdrawn": "yellow", "resolved": "green"}


def condition_text(item: Item) -> str:
    """Return the condition of an alert as one line."""
    where = printable(item["where"] or "")
    if item["metric"] is None:
        return where
    sign, limit = (">", item["above"]) if item["below"] is None else ("<", item["below"])
    by = f" by {printable(item['by'])}" if item["by"] else ""
    of = f" where {where}" if where else ""
    return (
        f"{printable(item['metric'])} of {item['of']}{of}{by} {sign} {limit:g} in {item['window']}"
    )


def render_alerts(items: Sequence[Item], console: Console) -> None:
    """Print alerts by name, or how to make one if there are none."""
    if not items:
        console.print("No alerts. `spanloom alerts put` makes one.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("name", "firing", "asks"):
        table.add_column(title, justify="right" if title == "firing" else "left")
    for item in items:
        firing = Text(f"{item['firing']:,}", _STYLES["firing"] if item["firing"] else "")
        paused = " (paused)" if item["paused"] else ""
        name = Text(f"{printable(item['name'])}{paused}", "bold")
        table.add_row(name, firing, Text(condition_text(item)))
    console.print(table)


def render_alert(item: Item, console: Console) -> None:
    """Print one alert: its condition, the number of its firing events, its channels."""
    console.print(Text(printable(item["name"]), "bold"))
    lines = [f"asks  {condition_text(item)}", f"version  {item['version']}", _firing(item)]
    if item["waits_for_settled"]:
        lines.append("fires once a run has settled: later spans could make it false")
    if item["severity"]:
        lines.append(f"severity  {printable(item['severity'])}")
    if item["paused"]:
        lines.append("paused")
    for one in item["channels"]:
        signed = ", signed" if one.get("secret_file") else ""
        lines.append(f"{one['kind']}  {printable(one['url'])}{signed}")
    for line in lines:
        console.print(Text(f"  {line}"))


def render_events(items: Sequence[Item], console: Console, now_ms: int) -> None:
    """Print events, newest first."""
    if not items:
        console.print("Nothing fired.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("when", "state", "of", "why", "told"):
        table.add_column(title)
    for item in items:
        state = Text(item["state"], _STYLES.get(item["state"], ""))
        of = item["trace_id"] or ", ".join(map(str, (item["group"] or {}).values()))
        when = age(now_ms - int(item["at"]))
        table.add_row(when, state, Text(printable(of)), Text(_why(item)), Text(_deliveries(item)))
    console.print(table)


def render_tried(found: Item, console: Console, now_ms: int) -> None:
    """Print how often an alert would have fired, and the newest runs or windows."""
    of = "windows" if found["windows"] else "runs"
    console.print(f"would have fired for {found['fired']:,} of {found['of']:,} {of}")
    for run in found["runs"]:
        when = age(now_ms - int(run["start"]))
        console.print(Text(f"  {run['trace_id']}  {when}  {printable(run['name'] or '')}"))
    for one in found["windows"]:
        group = " ".join(printable(str(value)) for value in (one["group"] or {}).values())
        when = age(now_ms - int(one["start"]))
        console.print(Text(f"  {one['value']:g}  {when}  {group}".rstrip()))


def _firing(item: Item) -> str:
    of = "run" if item["metric"] is None else "group"
    return f"fires for {counted(item['firing'], of)}"


def _why(item: Item) -> str:
    reason = item["reason"] or {}
    if "duplicate_of" in reason:
        return f"repeats {printable(reason['duplicate_of'])}"
    if "deleted" in reason:
        return "the run was deleted"
    if "late_spans" in reason:
        late = len(reason["late_spans"])
        return f"version {reason['version']}, {counted(late, 'late span')}"
    if "ended" in reason:
        return printable(reason["ended"])
    if item["threshold"] is not None:
        value = "unknown" if item["value"] is None else f"{item['value']:g}"
        return f"{value}, threshold {item['threshold']:g}"
    return ", ".join(printable(step["name"]) for step in item["evidence"])


def _deliveries(item: Item) -> str:
    states = [one["state"] for one in item["deliveries"]]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
