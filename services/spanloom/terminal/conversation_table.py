"""A list of conversations: how each began, where it is now, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from spanloom.core.showing.values import printable
from spanloom.terminal.grid import Column, Grid, Item, tokens_cell, when_cell
from spanloom.terminal.list_table import labelled, said_lines
from spanloom.terminal.values import OUTCOME_STYLES, Signs, cut, signs_of, went

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console


def render_conversations(items: list[Item], console: Console, now_ms: int) -> None:
    """Print items of the API's list; ids, by which runs are found, are always whole."""
    if not items:
        console.print(
            "No conversations. Runs of one name it: a conversation, session or thread id."
        )
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
    """Name the conversation, and say how its last run went, if not well."""
    outcome = went(str(item["last_run"]["outcome"]), signs)
    name = Text(printable(item["conversation_id"]), "bold")
    return Text.assemble(name, " " if outcome else "", outcome)


def _about(item: Item) -> Iterable[Text]:
    """Say what was asked first and answered last, or that a person is asked now."""
    yield from said_lines(item)
    if item["last_run"]["outcome"] == "paused":
        yield labelled("waits", "for a person", OUTCOME_STYLES["paused"])
