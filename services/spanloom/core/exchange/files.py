"""Joins runs, each already encoded in a format, into one file.

``Format.filed`` declares how: one of the layouts in ``Filed``. An interrupted export continues from
the number of items that the file has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.core.exchange.inspect.file import add_to_log, end_of_log
from spanloom.core.formats.entry import Filed
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Callable

_INDEX = "index"
"""Member with an item's number in the whole file, in the layout ``Filed.SPREAD``."""


class Layout:
    """Appends encoded runs to a file."""

    def __init__(self, filed: Filed, items: int = 0) -> None:
        """Continue after ``items`` items; with ``Filed.FOLDER``, each item is a separate file."""
        self._add = _ADDED[filed]
        self._end = _ENDS.get(filed, _no_end)
        self.items = items
        """The number of items in the file."""

    def add(self, body: bytes) -> bytes:
        """Return the bytes to append for an encoded run; empty for an empty list."""
        text, self.items = self._add(body, self.items)
        return text

    @property
    def end(self) -> bytes:
        """The bytes that must be written at the end of the file."""
        return self._end(self.items)


_Added: TypeAlias = "tuple[bytes, int]"
"""The bytes to append, and the number of items in the file afterwards."""


def _line(body: bytes, items: int) -> _Added:
    return body + b"\n", items + 1


def _spread(body: bytes, items: int) -> _Added:
    value: Any = orjson.loads(body)  # any JSON value
    found = value if isinstance(value, list) else [value]
    lines = [dump(_numbered(one, at)) + b"\n" for at, one in enumerate(found, items)]
    return b"".join(lines), items + len(lines)


def _numbered(item: Any, at: int) -> Any:  # any JSON value
    return {**item, _INDEX: at} if isinstance(item, dict) and _INDEX in item else item


def _in_array(body: bytes, items: int) -> _Added:
    """Remove the brackets around a list, so that its items need not be parsed."""
    text = body.strip()
    if text.startswith(b"["):
        text = text[1:-1].strip()
    if not text:
        return b"", items
    return (b",\n" if items else b"[\n") + text, items + 1


def _whole(body: bytes, items: int) -> _Added:
    return body, items + 1


_ADDED: dict[Filed, Callable[[bytes, int], _Added]] = {
    Filed.LINES: _line,
    Filed.SPREAD: _spread,
    Filed.ARRAY: _in_array,
    Filed.FOLDER: _whole,
    Filed.LOG: add_to_log,
}


def _no_end(_items: int) -> bytes:
    return b""


def _array_end(items: int) -> bytes:
    return b"\n]\n" if items else b"[]\n"


_ENDS: dict[Filed, Callable[[int], bytes]] = {Filed.ARRAY: _array_end, Filed.LOG: end_of_log}
