"""Matches the tool calls that an agent's models made with the tool steps that ran them."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.json_bytes import Json

Place: TypeAlias = tuple[int, str]
"""A call: its number, in the order of addition, and its id."""
_NameAndArguments: TypeAlias = tuple[str, str]
"""The name of a tool, and its arguments as text."""


class _Call(NamedTuple):
    id: str
    name: str
    raw: object
    """The call's arguments as sent."""
    arguments: object
    """The call's arguments, parsed."""


class OpenCalls:
    """The tool calls that an agent's models made; finds the call that a tool step ran.

    A call is open until a tool step with its result is found. Calls are found by id; names and
    arguments are compared only for a step without a call id, or with an id that no call has.
    """

    def __init__(self) -> None:
        """Start without calls."""
        self._calls: list[_Call] = []
        self._by_id: dict[str, list[int]] = {}
        self._by_text: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        """The numbers of calls, keyed by name and arguments, and by name alone."""
        self._compared = 0
        """The number of calls that are in ``_by_text``."""
        self._answered: set[int] = set()
        self._last: dict[str, Place] = {}
        """For each call id, the call with this id that was closed last."""
        self._last_by_text: dict[_NameAndArguments, Place] = {}
        self._runs: list[tuple[DocumentStep, Place]] = []
        """Steps, with their calls, that are not yet in ``_last_by_text``."""

    def add(self, call: Json) -> object:
        """Add a call in the form of messages, ``{id, function: {name, arguments}}``.

        Return its arguments, parsed.
        """
        function = call.get("function")
        named = function if isinstance(function, dict) else {}
        raw, call_id = named.get("arguments", ""), str(call.get("id", ""))
        value = _value(raw)
        if call_id:
            self._by_id.setdefault(call_id, []).append(len(self._calls))
        self._calls.append(_Call(call_id, str(named.get("name", "")), raw, value))
        return value

    def has(self, number: int, text: str) -> bool:
        """Return whether a text equals the arguments of a call, as text or as JSON."""
        call = self._calls[number]
        return call.raw == text or bool(call.arguments == json_value(text))

    def answer(self, step: DocumentStep) -> Place | None:
        """Close the open call that a tool step ran, and return it; ``None`` if there is none."""
        call_id = _call_id(step)
        place = self.answer_id(call_id) or self._compare(step)
        if place is not None:
            self._last[place[1]] = place
            if call_id:
                self._last[call_id] = place
            self._runs.append((step, place))
        return place

    def answered(self, step: DocumentStep) -> Place | None:
        """Return the closed call that a tool step ran again; ``None`` if there is none.

        The call has the same id, or, if the step has no call id, the same tool and arguments.
        """
        if call_id := _call_id(step):
            return self._last.get(call_id)
        for run, place in self._runs:
            self._last_by_text.update(dict.fromkeys(_keys_of(run), place))
        self._runs = []
        keys = _keys_of(step)
        return next((self._last_by_text[one] for one in keys if one in self._last_by_text), None)

    def answer_id(self, call_id: str) -> Place | None:
        """Close the open call with this id, and return it; ``None`` if there is none."""
        for number in self._by_id.get(call_id, ()):
            if number not in self._answered:
                self._answered.add(number)
                self._last[call_id] = place = number, call_id
                return place
        return None

    def is_open(self, call_id: str) -> bool:
        """Return whether a call with this id has no result yet."""
        return any(number not in self._answered for number in self._by_id.get(call_id, ()))

    def knows(self, call: object) -> bool:
        """Return whether a call with the same id, or with equal name and arguments, was added."""
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(function, dict):
            return False
        if str(call.get("id") or "") in self._by_id:
            return True
        self._compare_all()
        keys = _keys(str(function.get("name", "")), _value(function.get("arguments", "")))
        return any(one in self._by_text for one in keys)

    def open_ids(self) -> Iterator[str]:
        """Yield the ids of the calls without a result."""
        return (call.id for at, call in enumerate(self._calls) if at not in self._answered)

    @property
    def count(self) -> int:
        """The number of calls that were added."""
        return len(self._calls)

    def _compare(self, step: DocumentStep) -> Place | None:
        """Close and return the open call with equal name and arguments, or the oldest by name."""
        if len(self._answered) == len(self._calls):
            return None
        self._compare_all()
        for key in (*_keys_of(step), step.name):
            waiting = self._by_text.get(key)
            while waiting:
                number = waiting.popleft()
                if number not in self._answered:
                    self._answered.add(number)
                    return number, self._calls[number].id
        return None

    def _compare_all(self) -> None:
        for number in range(self._compared, len(self._calls)):
            call = self._calls[number]
            for key in (*_keys(call.name, call.arguments), call.name):
                self._by_text[key].append(number)
        self._compared = len(self._calls)


def _call_id(step: DocumentStep) -> str:
    return str(step.metadata.get("tool_call_id", ""))


def _keys_of(step: DocumentStep) -> Sequence[_NameAndArguments]:
    return _keys(step.name, json_value(step.input))


def _keys(name: str, value: object) -> Sequence[_NameAndArguments]:
    """Return keys to compare calls: name and arguments, also with a single argument unwrapped."""
    whole = name, _plain(value)
    if isinstance(value, dict) and len(value) == 1:
        return whole, (name, _plain(next(iter(value.values()))))
    return (whole,)


def _value(arguments: object) -> object:
    return json_value(arguments) if isinstance(arguments, str) else arguments


def _plain(value: object) -> str:
    return (
        value
        if isinstance(value, str)
        else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    )
