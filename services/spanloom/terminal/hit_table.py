"""Hits of a search: each with the step that said it, and what was looked for marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.showing.values import age, printable
from spanloom.terminal.values import TYPE_STYLES, cut, signs_of

if TYPE_CHECKING:
    from rich.console import Console

    from spanloom.terminal.grid import Item

MARKED = "bold black on yellow"


def render_hits(items: list[Item], console: Console, now_ms: int) -> None:
    """Print items of the API's answer; ids, by which steps are shown, are always whole."""
    if not items:
        console.print("Nothing found. What is new is found some seconds after its run is stored.")
        return
    signs = signs_of(console)
    for item in items:
        sign = Text(
            f"{signs.types.get(item['type'], signs.dot)} ", TYPE_STYLES.get(item["type"], "")
        )
        name = Text(printable(item["name"]), "bold")
        ago = age(now_ms - whole(item["started_at"]))
        about = f"  step {item['position']}, {item['part']}, {item['project']}, {ago}"
        console.print(cut(Text.assemble(sign, name, Text(printable(about), "dim")), console.width))
        console.print(Text(f"  {item['trace_id']} {item['step_id']}", "dim"))
        console.print(Text("  ") + mark_places(item["snippet"], item["offsets"]))
        console.print()


def mark_places(snippet: str, offsets: list[Any]) -> Text:
    """Return a snippet as one harmless text, with its places marked."""
    shown, at = Text(), 0
    for start, end in offsets:
        shown.append(printable(snippet[at:start]))
        shown.append(printable(snippet[start:end]), MARKED)
        at = end
    shown.append(printable(snippet[at:]))
    return shown
