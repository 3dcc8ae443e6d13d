"""Reads the calls in OpenAI messages; malformed messages and calls are skipped."""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.evaluation.subject.call import Call, read_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ROLES = {"ai": "assistant", "human": "user"}
"""OpenAI's names of roles, keyed by LangChain's names."""
_Key: TypeAlias = tuple[str | None, str | None]


class RequestedCall(NamedTuple):
    """A call that an assistant requested."""

    id: str
    name: str
    arguments: object


def role_of(message: object) -> str:
    """Return the role of a message; empty if it has none."""
    if not isinstance(message, dict):
        return ""
    role = message.get("role", message.get("type"))
    return _ROLES.get(role, role) if isinstance(role, str) else ""


def calls_requested_by(message: object) -> Iterator[RequestedCall]:
    """Yield the calls in a message, in OpenAI's format or in LangChain's ``{name, args, id}``."""
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            function = call.get("function")
            named = function if isinstance(function, dict) else call
            arguments = named.get("arguments", named.get("args"))
            yield RequestedCall(
                _text(call.get("id")), _text(named.get("name")), read_arguments(arguments)
            )


def calls_of_messages(messages: Sequence[object], *, is_run: bool) -> Sequence[Call]:
    """Return the calls in messages; with ``is_run`` only those that a tool message answers.

    A tool message answers the oldest open call with its id. A message without an id answers the
    oldest open call without an id, or else the oldest open call; with a name, only calls with this
    name.
    """
    open_calls = _Open()
    for at, message in enumerate(messages):
        if isinstance(message, dict) and role_of(message) == "tool":
            open_calls.answer(message)
        else:
            for requested in calls_requested_by(message):
                open_calls.add(requested, str(at))
    return open_calls.run if is_run else open_calls.requested


class _Open:
    """The calls so far; a call is open until a tool message answers it."""

    def __init__(self) -> None:
        self._calls: list[tuple[RequestedCall, str]] = []
        self._queues: defaultdict[_Key, deque[int]] = defaultdict(deque)
        """Numbers of open calls, keyed by id and name; ``None`` in a key means any id or name."""
        self._answers: dict[int, bool] = {}
        """Whether an answered call failed, keyed by its number."""

    def add(self, requested: RequestedCall, place: str) -> None:
        for key in product((requested.id, None), (requested.name, None)):
            self._queues[key].append(len(self._calls))
        self._calls.append((requested, place))

    def answer(self, message: Mapping[str, object]) -> None:
        id_, name = _text(message.get("tool_call_id")), _text(message.get("name")) or None
        for key in [(id_, None)] if id_ else [("", name), (None, name)]:
            waiting = self._queues.get(key)
            while waiting:
                number = waiting.popleft()
                if number not in self._answers:
                    self._answers[number] = message.get("status") == "error"
                    return

    @property
    def requested(self) -> Sequence[Call]:
        return [self._call(number) for number in range(len(self._calls))]

    @property
    def run(self) -> Sequence[Call]:
        return [self._call(number) for number in sorted(self._answers)]

    def _call(self, number: int) -> Call:
        requested, place = self._calls[number]
        failed = self._answers.get(number, False)
        return Call(requested.name, requested.arguments, place, failed=failed)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) else ""
