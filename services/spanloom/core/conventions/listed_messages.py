"""Makes the steps of a run that is reported only as a list of messages.

An assistant's message is a model call, a tool's message is a tool run. The input of a call is the
last answer and the messages after it: lists do not contain the actual input, and repeating whole
histories would take space quadratic in the list's length. Such calls are marked (``HISTORY``).
Unanswered messages at the end become a call without output. ``conversation`` (``core/formats``)
restores the list from these steps.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.messages.wire import compact
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_value
from spanloom.core.values.moments import iso_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Message = dict[str, Any]  # a JSON object
HISTORY, OMITTED = "history", "omitted"
"""Metadata key and value of a model step whose input lacks the messages before the last answer."""
TIMESTAMP = "timestamp"
"""Key of a message's time, which becomes the time of the step and is left out of its texts."""
RAW = "_raw"
"""Key that wraps arguments which are not an object, for formats that require an object."""
_UNNAMED = "tool"


class ListedStep(NamedTuple):
    """A step, and the message from which it is made."""

    at: int
    """Index of the message; for unanswered messages the index of the last one."""
    kind: Kind
    name: str
    """The tool's name; empty for a model call."""
    input: str
    """Messages as JSON, or the arguments of a tool call."""
    output: str
    call_id: str = ""
    """The id of the tool call that a tool's message answers."""
    is_paired: bool = False
    """Whether the list contains the tool call that a tool's message answers."""
    heard: Sequence[int] = ()
    """Indexes of the messages that are a model call's input."""
    is_parts: bool = False
    """Whether a tool's output is a list of parts, as JSON."""


def steps_of(messages: Sequence[Message], step_id: Callable[[int], str]) -> Iterator[ListedStep]:
    """Yield the steps of a list of messages, in order; each message needs a ``role``.

    ``step_id`` returns the id of the step made from the message at an index. A call without an id
    gets ``<step id>.<number>``.
    """
    normalized = [_normalized(message, step_id(at)) for at, message in enumerate(messages)]
    repeated = _repeated_ids(normalized)
    calls = _Calls()
    window = _Window()
    for at, message in enumerate(normalized):
        role = message["role"]
        if role == "assistant":
            yield window.close(at, _written([message]))
            calls.add(message)
            window.open(at, message)
        elif role == "tool":
            if window.fresh:
                yield window.close(at - 1, "")
            step = calls.run(at, message)
            yield step
            window.note(at, _without_id(message) if step.call_id in repeated else message)
        else:
            window.hear(at, message)
    if window.fresh:
        yield window.close(len(normalized) - 1, "")


def unnamed_calls(message: Message) -> int:
    """Return the number of tool calls in a message that have no id."""
    return sum(not _id_of(call) for call in message.get("tool_calls") or ())


def text_of(content: object) -> str:
    """Return the text of a message's content; the texts of parts are joined by line breaks."""
    if isinstance(content, list):
        texts = [p.get("text") for p in content if isinstance(p, dict) and p.get("type") == "text"]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def time_ns(message: Message) -> int | None:
    """Return a message's time in nanoseconds since the epoch; ``None`` if it has none."""
    return iso_nanoseconds(message.get(TIMESTAMP))


class _Window:
    """The last answer and the messages after it: the input of the next call."""

    def __init__(self) -> None:
        self.fresh = 0
        """Number of messages at the end that are not yet the input of a call."""
        self._items: list[tuple[int, Message]] = []

    def open(self, at: int, answer: Message) -> None:
        """Start a new window with an answer."""
        self._items, self.fresh = [(at, answer)], 0

    def note(self, at: int, result: Message) -> None:
        """Add a tool's result."""
        self._items.append((at, result))

    def hear(self, at: int, message: Message) -> None:
        """Add a message to the input of the next call."""
        self._items.append((at, message))
        self.fresh += 1

    def close(self, at: int, output: str) -> ListedStep:
        """Return the model call whose input is the window, and empty the window."""
        items, self._items, self.fresh = self._items, [], 0
        heard_text = _written([message for _, message in items]) if items else ""
        return ListedStep(
            at, Kind.MODEL, "", heard_text, output, heard=[place for place, _ in items]
        )


class _Calls:
    """Tool calls that no result has answered yet, in order and keyed by id."""

    def __init__(self) -> None:
        self._by_id: defaultdict[str, deque[tuple[int, Message]]] = defaultdict(deque)
        self._in_order: deque[tuple[int, Message]] = deque()
        self._answered: set[int] = set()
        self._count = 0

    def add(self, message: Message) -> None:
        """Add the calls of an assistant's message."""
        for call in message.get("tool_calls") or ():
            entry = self._count, call
            self._count += 1
            self._by_id[call["id"]].append(entry)
            self._in_order.append(entry)

    def run(self, at: int, result: Message) -> ListedStep:
        """Return the tool run with this result; a result without an id answers the oldest call."""
        call_id = result.get("tool_call_id")
        named = isinstance(call_id, str) and call_id
        call = self._taken(self._by_id.get(str(call_id)) if named else self._in_order)
        content = result["content"]
        is_parts = not isinstance(content, str)
        output = _written(content) if is_parts else content
        if call is None:
            name = str(result.get("name") or _UNNAMED)
            answered_id = str(call_id) if named else ""
            return ListedStep(at, Kind.TOOL, name, "", output, answered_id, is_parts=is_parts)
        function = call["function"]
        shown = (function["name"] or _UNNAMED, function["arguments"], output)
        return ListedStep(at, Kind.TOOL, *shown, call["id"], is_paired=True, is_parts=is_parts)

    def _taken(self, waiting: deque[tuple[int, Message]] | None) -> Message | None:
        while waiting:
            number, call = waiting.popleft()
            if number not in self._answered:
                self._answered.add(number)
                return call
        return None


def _normalized(message: Message, step_id: str) -> Message:
    """Return a message in the common form, with an id for each call and without its time."""
    normalized = {name: value for name, value in message.items() if name != TIMESTAMP}
    content = message.get("content")
    if content is None:
        normalized["content"] = ""
    elif not isinstance(content, str | list):
        normalized["content"] = _written(content)
    if calls := message.get("tool_calls"):
        normalized["tool_calls"] = [_call(call, f"{step_id}.{n}") for n, call in enumerate(calls)]
    else:
        normalized.pop("tool_calls", None)
    return normalized


def _call(call: Message, made_id: str) -> Message:
    function = call.get("function")
    known = function if isinstance(function, dict) else {}
    named = {"name": str(known.get("name") or ""), "arguments": _arguments(known.get("arguments"))}
    return {"id": _id_of(call) or made_id, "type": "function", "function": named}


def _id_of(call: Message) -> str:
    known = call.get("id")
    return known if isinstance(known, str) else "" if known is None else _written(known)


def _arguments(value: object) -> str:
    """Return arguments as text; arguments wrapped in an object (``RAW``) are unwrapped."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, dict) and value.keys() == {RAW}:
        raw = value[RAW]
        if isinstance(raw, str) and raw and not isinstance(json_value(raw), dict):
            return raw
    return _written(value)


def _repeated_ids(messages: Sequence[Message]) -> set[str]:
    """Return the ids that more than one call has."""
    ids = Counter(call["id"] for m in messages for call in m.get("tool_calls") or ())
    return {call_id for call_id, n in ids.items() if n > 1}


def _written(value: Any) -> str:  # any JSON value
    return compact(value)


def _without_id(message: Message) -> Message:
    return {name: value for name, value in message.items() if name != "tool_call_id"}
