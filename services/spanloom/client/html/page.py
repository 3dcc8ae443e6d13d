"""Well-formed pieces of HTML, and how large they are."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_BYTES = 100_000
"""The maximum size of the HTML for a notebook."""
MAX_ROWS = 200
_FRAME = "font-family:ui-monospace,monospace;font-size:12px;line-height:1.5"


def text(recorded: object, most: int = 200) -> str:
    """Return text as HTML on one line, cut."""
    whole = str(recorded)
    return escape(printable(whole[:most])) + ("…" if len(whole) > most else "")


def lines(recorded: str, most: int) -> str:
    """Return text as HTML with its line breaks, cut."""
    shown = "\n".join(escape(printable(line)) for line in recorded[:most].split("\n"))
    return shown + ("…" if len(recorded) > most else "")


def coloured(html: str, colour: str) -> str:
    """Return a piece in one of our colours."""
    return f'<span style="color:{colour}">{html}</span>' if html and colour else html


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with the pieces as cells."""
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table cellpadding="4" style="text-align:left"><tr>{head}</tr>{body}</table>'


def framed(*pieces: str) -> str:
    """Return one piece with the pieces one below the other."""
    return f'<div style="{_FRAME}">{"".join(pieces)}</div>'


def note(words: str) -> str:
    """Return a remark by Spanloom, not recorded text."""
    return f"<div><i>{escape(words)}</i></div>"


def size(html: str) -> int:
    """Return how many bytes a piece takes."""
    return len(html.encode("utf-8", "replace"))
