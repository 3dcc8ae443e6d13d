"""Finds the tool call to which each result in a list of chat messages belongs.

A result belongs to the open call with its id; without an id, to the oldest open call with its name;
without either, to the oldest open call.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANY = "", ""


@dataclass(slots=True)
class OpenCall:
    """A tool call; it is open until its result has been read."""

    id: str
    name: str
    arguments: str
    is_open: bool = True


class Calls:
    """The calls without a result so far; each look-up takes constant time on average."""

    def __init__(self) -> None:
        """Start without calls."""
        self._all: list[OpenCall] = []
        self._by_key: defaultdict[tuple[str, str], deque[OpenCall]] = defaultdict(deque)

    def add(self, call: Any, made: str) -> None:  # any JSON value
        """Add a call; if it has no id, ``made`` is its id, as in ``formats/turns.py``."""
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return
        text = function.get("arguments")
        arguments = text if isinstance(text, str) else dump(text or {}).decode()
        opened = OpenCall(str(call.get("id") or made), str(function.get("name") or ""), arguments)
        self._all.append(opened)
        for key in (("id", opened.id), ("name", opened.name), _ANY):
            self._by_key[key].append(opened)

    def answer(self, call_id: str, name: str) -> OpenCall | None:
        """Close and return the open call to which a result belongs; ``None`` if there is none.

        A result with a call id belongs only to the call with that id.
        """
        waiting = self._by_key.get(("id", call_id) if call_id else ("name", name) if name else _ANY)
        while waiting:
            call = waiting.popleft()
            if call.is_open:
                call.is_open = False
                return call
        return None

    def open_ids(self) -> Iterator[str]:
        """Yield the ids of the calls without a result."""
        return (call.id for call in self._all if call.is_open)
