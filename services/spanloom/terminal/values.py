"""How single values look on a terminal: short, and harmless whatever they contain."""

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
"""Of what is worth a word: most runs go well."""


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
    """Choose by what the console can encode."""
    return _UNICODE if console.encoding.lower().startswith("utf") else _ASCII


def went(outcome: str, signs: Signs) -> Text:
    """Return how a run went, sign and word; empty if it went well."""
    style = OUTCOME_STYLES.get(outcome)
    return Text() if style is None else Text(f"{signs.outcomes[outcome]} {outcome}", style)


def cut(line: Text, cells: int) -> Text:
    """Let a line end at the edge of the terminal, not go on below."""
    line.truncate(cells, overflow="ellipsis")
    return line
