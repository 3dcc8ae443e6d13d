"""Output on terminals: consoles and streams, and styles and signs for single values."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

import orjson
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from typing import TextIO


PIPE_WIDTH = 100


class _Console(Console):
    """A console that lets the command handle a broken pipe."""

    def on_broken_pipe(self) -> None:
        """Raise the error again; rich would exit with status 1."""
        raise  # noqa: PLE0704  # rich calls it while it handles the ``BrokenPipeError``


def make_console(stream: TextIO) -> Console:
    """Return a console without markup; rich respects ``NO_COLOR`` and dumb terminals."""
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return _Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def is_for_people() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def print_indented(line: Text, console: Console) -> None:
    """Print a line; if it is too wide, it is wrapped and the further lines get the same indent."""
    indent = len(line.plain) - len(line.plain.lstrip(" "))
    margin = Text(" " * indent)
    for part in line[indent:].wrap(console, max(1, console.width - indent)) or [Text()]:
        part.rstrip()
        console.print(margin + part)


def write_json(body: bytes, stream: TextIO, *, indent: bool = True) -> None:
    """Write JSON and a line end: unchanged to a pipe, indented and escaped on a terminal."""
    if stream.isatty():
        layout = orjson.OPT_INDENT_2 if indent else 0
        text = orjson.dumps(orjson.loads(body), option=layout).decode()
        stream.write("".join(map(_escaped, text)) + "\n")
    else:
        stream.flush()
        stream.buffer.write(body + b"\n")


def write_text(text: str, stream: TextIO) -> None:
    """Write text unchanged; on a terminal control characters are escaped."""
    if stream.isatty():
        stream.write("".join(map(_escaped, text.replace("\r\n", "\n"))))
    else:
        stream.flush()
        stream.buffer.write(text.encode())


def _escaped(char: str) -> str:
    """Escape a character that a terminal could interpret, as JSON does inside strings."""
    if char.isprintable() or char in "\n\t":
        return char
    code = ord(char)
    units = (
        (code,) if code < 0x10000 else (0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF))
    )
    return "".join(f"\\u{unit:04x}" for unit in units)


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
    "unfinished": "magenta",
    "failed": "bold red",
}
"""Styles of the outcomes that are printed; ``ok`` is not printed."""


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
    {"recovered": "!", "paused": "…", "cancelled": "⊘", "unfinished": "◌", "failed": "✗"},
    *("├─ ", "└─ ", "│  ", "━", "✗", "!", "→", "·", "…"),
)
_ASCII = Signs(
    {"agent": "@", "model": "*", "tool": "+", "graph": "#", "other": "o"},
    {"recovered": "!", "paused": "...", "cancelled": "/", "unfinished": "~", "failed": "x"},
    *("|- ", "`- ", "|  ", "=", "x", "!", "->", "-", "..."),
)


def signs_of(console: Console) -> Signs:
    """Return the Unicode signs if the console can encode them, otherwise ASCII signs."""
    return _UNICODE if console.encoding.lower().startswith("utf") else _ASCII


def outcome_text(outcome: str, signs: Signs) -> Text:
    """Return the outcome of a run as its sign and name; empty if it is ok."""
    style = OUTCOME_STYLES.get(outcome)
    return Text() if style is None else Text(f"{signs.outcomes[outcome]} {outcome}", style)


def cut(line: Text, cells: int) -> Text:
    """Cut a line to a width of ``cells``, in place, and return it."""
    line.truncate(cells, overflow="ellipsis")
    return line
