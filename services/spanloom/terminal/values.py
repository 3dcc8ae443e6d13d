"""Styles and signs of single values on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

TYPE_STYLES = {
    "agent": "bold magenta",
    "model": "cyan",
    "tool": "green",
    "graph": "blue",
    "other": "dim",
}
STATUS_STYLES = {"settled": "green", "live": "cyan", "partial": "yellow", "failed": "bold red"}

OUTCOME_STYLES = {
    "recovered": "yellow",
    "paused": "cyan",
    "cancelled": "magenta",
    "failed": "bold red",
}
"""Outcomes that are printed; ``ok`` is not."""


class Signs(NamedTuple):
    """The characters that a terminal can show."""

    types: dict[str, str]
    outcomes: dict[str, str]
    branch: str
    last: str
    through: str
    bar: str
    error: str
    warning: str
    arrow: str
    dot: str
    more: str


_UNICODE = Signs(
    {"agent": "◆", "model": "●", "tool": "■", "graph": "▲", "other": "○"},
    {"recovered": "!", "paused": "…", "cancelled": "⊘", "failed": "✗"},
    *("├─ ", "└─ ", "│  ", "━", "✗", "!", "→", "·", "…"),
)
_ASCII = Signs(
    {"agent": "@", "model": "*", "tool": "+", "graph": "#", "other": "o"},
    {"recovered": "!", "paused": "...", "cancelled": "/", "failed": "x"},
    *("|- ", "`- ", "|  ", "=", "x", "!", "->", "-", "..."),
)


def signs_of(console: Console) -> Signs:
    """Return the Unicode signs if the console can encode them, else ASCII ones."""
    return _UNICODE if console.encoding.lower().startswith("utf") else _ASCII


def outcome_text(outcome: str, signs: Signs) -> Text:
    """Return the outcome of a run, sign and word; empty if it is ok."""
    style = OUTCOME_STYLES.get(outcome)
    return Text() if style is None else Text(f"{signs.outcomes[outcome]} {outcome}", style)


def cut(line: Text, cells: int) -> Text:
    """Cut a line to this width, in place, and return it."""
    line.truncate(cells, overflow="ellipsis")
    return line
