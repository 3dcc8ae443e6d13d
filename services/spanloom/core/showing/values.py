"""Formats single values for people, short and safe to print; points at positions in a text."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from unicodedata import east_asian_width


def printable(text: str) -> str:
    r"""Return a text that is safe to print on one line.

    White space becomes a space. Control characters, escape sequences and characters that change
    the direction of text are escaped like ``\x1b``. The joiner inside emoji stays.
    """
    if text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def shortened(text: str, cells: int) -> str:
    """Return the beginning of a text on one line, at most ``cells`` characters."""
    line = " ".join(printable(text[: cells * 4]).split())
    return line if len(line) <= cells else line[: cells - 1].rstrip() + "…"


def duration(ms: int) -> str:
    """Format a duration: ``<1 ms``, ``412 ms``, ``2.31 s``, ``1m 05s``, ``2h 03m``."""
    if ms < 1_000:
        return f"{ms} ms" if ms else "<1 ms"
    if ms < 60_000:
        return f"{ms / 1000:.2f} s" if ms < 10_000 else f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(ms // 1000, 60)
    if minutes < 60:
        return f"{minutes}m {seconds:02}s"
    return f"{minutes // 60}h {minutes % 60:02}m"


def age(ms: int) -> str:
    """Format how long ago something was: ``12 s ago``, ``5 min ago``, ``3 h ago``, ``2 d ago``."""
    seconds = max(0, ms) // 1000
    for unit, size, until in (("s", 1, 100), ("min", 60, 6_000), ("h", 3_600, 172_800)):
        if seconds < until:
            return f"{seconds // size} {unit} ago"
    return f"{seconds // 86_400} d ago"


def instant(ms: int) -> str:
    """Format ms since the epoch as a UTC time; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return ""


def counted(number: int, noun: str) -> str:
    """Format a number with its noun: ``1 agent``, ``1,200 model calls``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def dollars(usd: float) -> str:
    """Format US dollars: ``$12.40``; below 1 with two significant digits: ``$0.00034``."""
    places = 2 if usd >= 1 or not usd else 1 - math.floor(math.log10(usd))
    return f"${usd:,.{places}f}"


def _shown(char: str) -> str:
    if char.isprintable() or char == "\u200d":
        return char
    if char.isspace():
        return " "
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else "\ufffd"


MOST_BEFORE, MOST_AFTER = 40, 30
"""Maximum characters of the line shown before and after the position."""


def point_at(text: str, position: int, length: int = 1) -> tuple[str, str]:
    """Return the line that contains a position, cut around it, and a line of carets below it.

    The position is counted in characters from 0. A character that is two cells wide, such as a
    Chinese character, gets two carets. ::

        has_error and durtion > 5s
                      ^^^^^^^
    """
    at = min(max(position, 0), len(text))
    begin = text.rfind("\n", 0, at) + 1
    end = (text + "\n").index("\n", at)
    left, right = max(begin, at - MOST_BEFORE), min(end, at + max(length, 1) + MOST_AFTER)
    before = ("…" if left > begin else "") + printable(text[left:at])
    until = min(at + max(length, 0), right)
    marked = printable(text[at:until])
    after = printable(text[until:right]) + ("…" if right < end else "")
    return before + marked + after, " " * _cells(before) + "^" * max(1, _cells(marked))


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
