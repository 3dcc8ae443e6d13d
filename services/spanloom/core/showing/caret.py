"""Marks a position in a text by carets below it."""

from __future__ import annotations

from unicodedata import east_asian_width

from spanloom.core.showing.values import printable

MOST_BEFORE, MOST_AFTER = 40, 30
"""Most characters of the line before and after the position."""


def point_at(text: str, position: int, length: int = 1) -> tuple[str, str]:
    """Return the line that contains a position, cut around it, and a line of carets below it.

    The position is counted in characters from 0. A character two cells wide, such as a Chinese
    one, gets two carets. ::

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
