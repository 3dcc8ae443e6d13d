"""How the bodies of runs, each in the format of one run, make a file (``Filed``).

The position in the file is one number, so that an interrupted export goes on.
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
"""A member of the items of ``Filed.SPREAD`` that counts them over the whole file."""


class Layout:
    """Puts the bodies of runs one after the other into a file."""

    def __init__(self, filed: Filed, items: int = 0) -> None:
        """Go on behind this number of items; ``Filed.FOLDER`` has one file for each."""
        self._add = _ADDED[filed]
        self._end = _ENDS.get(filed, _no_end)
        self.items = items
        """Items that are in the file."""

    def add(self, body: bytes) -> bytes:
        """Return what the file goes on with for a run; nothing for a list without items."""
        text, self.items = self._add(body, self.items)
        return text

    @property
    def end(self) -> bytes:
        """What the file ends with."""
        return self._end(self.items)


_Added: TypeAlias = "tuple[bytes, int]"
"""A text, and the number of items with it."""


def _line(body: bytes, items: int) -> _Added:
    return body + b"\n", items + 1


def _spread(body: bytes, items: int) -> _Added:
    value: Any = orjson.loads(body)  # as JSON has it
    found = value if isinstance(value, list) else [value]
    lines = [dump(_numbered(one, at)) + b"\n" for at, one in enumerate(found, items)]
    return b"".join(lines), items + len(lines)


def _numbered(item: Any, at: int) -> Any:  # as JSON has it
    return {**item, _INDEX: at} if isinstance(item, dict) and _INDEX in item else item


def _in_array(body: bytes, items: int) -> _Added:
    """Take the items out of a list by its brackets: they need not be parsed."""
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
