"""Prints conversations, search hits, dead letters and API keys as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.model.access import ALL_PROJECTS
from spanloom.core.model.notation import rfc3339
from spanloom.core.showing.values import age, printable
from spanloom.terminal.output import OUTCOME_STYLES, TYPE_STYLES, Signs, cut, outcome_text, signs_of
from spanloom.terminal.runs import (
    Column,
    Grid,
    Item,
    exchange_lines,
    labelled,
    tokens_cell,
    when_cell,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console, RenderableType

    from spanloom.core.model.access import Key
    from spanloom.core.model.diagnosis import DeadLetter


def render_conversations(items: list[Item], console: Console, now_ms: int) -> None:
    """Print items of the API's list of conversations; ids are never cut."""
    if not items:
        console.print("No conversations. Their runs have a conversation, session or thread id.")
        return
    signs = signs_of(console)
    grid = Grid(console, "conversation", _columns(now_ms), is_cut=False)
    for item in items:
        grid.print_row(_conversation(item, signs), item)
        for line in _about(item):
            console.print(cut(line, console.width))
        console.print()


def _columns(now_ms: int) -> Iterable[Column]:
    yield Column("user", 90, 16, lambda item: Text(printable(item.get("user_id") or "")))
    yield Column("runs", 44, 6, lambda item: Text(f"{item['runs']:,}"), is_number=True)
    yield Column("tokens", 68, 11, tokens_cell, is_number=True)
    yield Column("when", 54, 10, lambda item: when_cell(item["last_run"], now_ms))


def _conversation(item: Item, signs: Signs) -> Text:
    """Return the id of the conversation, and the outcome of its last run unless it is ok."""
    outcome = outcome_text(str(item["last_run"]["outcome"]), signs)
    name = Text(printable(item["conversation_id"]), "bold")
    return Text.assemble(name, " " if outcome else "", outcome)


def _about(item: Item) -> Iterable[Text]:
    """Yield the first question, the last answer, and a line if the last run waits for a person."""
    yield from exchange_lines(item)
    if item["last_run"]["outcome"] == "paused":
        yield labelled("waits", "for a person", OUTCOME_STYLES["paused"])


MARKED = "bold black on yellow"


def render_hits(items: list[Item], console: Console, now_ms: int) -> None:
    """Print items of the API's search response; ids are never cut."""
    if not items:
        console.print("Nothing found. New texts are found some seconds after their run is stored.")
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
    """Return an escaped snippet with the matches at ``offsets`` marked."""
    shown, at = Text(), 0
    for start, end in offsets:
        shown.append(printable(snippet[at:start]))
        shown.append(printable(snippet[start:end]), MARKED)
        at = end
    shown.append(printable(snippet[at:]))
    return shown


def render_dead_letters(letters: Sequence[DeadLetter], now_ns: int) -> RenderableType:
    """Return the dead letters as a table, or a line if there are none."""
    if not letters:
        return "There are no dead letters."
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("seq", "accepted", "signal", "spans", "bytes", "reason"):
        table.add_column(title, no_wrap=title != "reason")
    for letter in letters:
        table.add_row(
            str(letter.seq),
            age((now_ns - letter.accepted_at_ns) // 1_000_000),
            letter.signal,
            f"{letter.span_count:,}",
            f"{letter.size:,}",
            Text(printable(letter.reason)),
        )
    return table


def render_keys(keys: Sequence[Key], now_ns: int) -> RenderableType:
    """Return the keys as a table, or how to create one if there are none."""
    if not keys:
        return "No keys: on loopback access is unrestricted. `spanloom keys create` makes one."
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("id", "project", "scopes", "made", "last used", "state"):
        table.add_column(title, no_wrap=title != "project")
    for key in keys:
        table.add_row(
            key.id,
            Text("all projects", "magenta")
            if key.project == ALL_PROJECTS
            else Text(printable(key.project)),
            ",".join(sorted(key.scopes)),
            _ago(key.created_ns, now_ns),
            _ago(key.used_ns, now_ns),
            _state(key, now_ns),
        )
    return table


def key_as_json(key: Key) -> dict[str, object]:
    """Return the public fields of a key; absent times are null, the others RFC 3339."""
    return {
        "id": key.id,
        "project": None if key.project == ALL_PROJECTS else key.project,
        "scopes": sorted(key.scopes),
        "created_at": rfc3339(key.created_ns),
        "expires_at": rfc3339(key.expires_ns),
        "revoked_at": rfc3339(key.revoked_ns),
        "last_used_at": rfc3339(key.used_ns),
    }


def _state(key: Key, now_ns: int) -> Text:
    if key.revoked_ns:
        return Text("revoked", "red")
    if not key.is_usable(now_ns):
        return Text("expired", "red")
    if key.expires_ns:
        return Text(f"until {rfc3339(key.expires_ns)}", "green")
    return Text("usable", "green")


def _ago(at_ns: int, now_ns: int) -> str:
    return age((now_ns - at_ns) // 1_000_000) if at_ns else "never"
