"""The messages of an agent as one conversation: one message per turn, in order.

It is built from the steps, not copied from the last model call's input: only in 176 of 228 captured
pairs of neighbouring calls was the earlier conversation a prefix of the later one. Each input adds
its system, developer and user messages after the prefix shared with the input before; each output
adds one assistant message; each tool step adds its result.

A tool step belongs to a call of the same agent by call id; else by the tool's name and equal
arguments, where LangChain writes a single argument bare (``{"city": "Oslo"}`` as ``Oslo``); else by
the oldest open call of that tool. In 295 captured runs 126 tool steps are matched by the first, 125
by the second, 14 by the third; 30 have no call, such as those of retrievers.
"""

from __future__ import annotations

from collections import defaultdict, deque
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.messages.texts import messages_in
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.core.formats.json_bytes import Json

_HEARD = frozenset({"system", "developer", "user"})


class Turn(NamedTuple):
    """A message, and the step it comes from."""

    message: Json
    step_id: str
    parts: Mapping[tuple[str, str], tuple[str, int]]
    """Where the step's texts are in the message: ``("output", "0.content")`` at
    ``("content", 12)``, an offset in UTF-16 code units."""


def conversation(agent: DocumentAgent) -> Sequence[Turn]:
    """Return the turns of an agent; only model and tool steps have turns.

    Results of tools that ran in parallel are in the order of their calls.
    """
    turns: list[Turn] = []
    results: list[tuple[int, Turn]] = []
    calls = OpenCalls()
    heard: Sequence[Json] = ()
    for step in agent.steps:
        if step.type == "tool":
            number, call_id = calls.answer(step) or (len(turns) + len(results), "")
            results.append((number, _result(step, call_id or step.id)))
        elif step.type == "model":
            turns += _in_order(results)
            results = []
            said = messages_in(step.input, "user")
            turns += _news(step, said, _shared(heard, said), calls)
            turns += (answers := list(_answer(step)))
            for call in (c for turn in answers for c in turn.message.get("tool_calls", ())):
                calls.add(call)
            heard = said
    return [*turns, *_in_order(results)]


def _in_order(results: list[tuple[int, Turn]]) -> Iterator[Turn]:
    return (turn for _, turn in sorted(results, key=itemgetter(0)))


def _result(step: DocumentStep, call_id: str) -> Turn:
    """Return the message with a tool's result or error message."""
    text = step.output or step.error_message
    message = {"role": "tool", "tool_call_id": call_id, "name": step.name, "content": text}
    return Turn(message, step.id, {("output", ""): ("content", 0)})


def _news(step: DocumentStep, said: Sequence[Json], known: int, calls: OpenCalls) -> Iterator[Turn]:
    """Yield the new messages; also tool results for which there is no tool step."""
    for at, message in enumerate(said[known:], known):
        is_result = message["role"] == "tool" and calls.answer_id(str(message.get("tool_call_id")))
        if message["role"] in _HEARD or is_result:
            places = (("input", f"{at}.content"), ("input", "")) if len(said) == 1 else None
            parts = dict.fromkeys(places or [("input", f"{at}.content")], ("content", 0))
            kept = {name: value for name, value in message.items() if name != "tool_calls"}
            is_said = isinstance(message.get("content"), str | list)
            yield Turn(kept if is_said else kept | {"content": ""}, step.id, parts)


def _answer(step: DocumentStep) -> Iterator[Turn]:
    """Yield one turn for a model's output, its messages joined; none if it is empty."""
    texts: list[str] = []
    calls: list[Json] = []
    parts: dict[tuple[str, str], tuple[str, int]] = {}
    answers = messages_in(step.output, "assistant")
    for at, answer in enumerate(answers):
        if text := _text(answer.get("content")):
            parts["output", f"{at}.content"] = "content", sum(_units(t) + 1 for t in texts)
            texts.append(text)
        for k, call in enumerate(answer.get("tool_calls") or ()):
            place = "output", f"{at}.tool_calls.{k}.function.arguments"
            parts[place] = f"tool_calls.{len(calls)}.function.arguments", 0
            calls.append({**call, "id": call.get("id") or f"{step.id}.{len(calls)}"})
    if answers:
        if len(answers) == 1:
            parts["output", ""] = "content", 0
        message = {"role": "assistant", "content": "\n".join(texts)}
        yield Turn(message | ({"tool_calls": calls} if calls else {}), step.id, parts)


def _shared(before: Sequence[Json], now: Sequence[Json]) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(before), len(now)))


def _text(content: object) -> str:
    """Return the text of a message's content, without media."""
    if isinstance(content, list):
        said = [p.get("text") for p in content if isinstance(p, dict) and p.get("type") == "text"]
        return "\n".join(text for text in said if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


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
