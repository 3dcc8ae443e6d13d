"""What an agent heard and said, as one conversation: a message for each turn, in order.

It is told from steps, never copied from the last model call's input: between neighbouring calls of
one agent the earlier conversation was a beginning of the later one in 176 of 228 captured cases
only. Of each input come the messages of system, developer and user beyond what the input before
began with; of each output one assistant's turn; of each tool step its result.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.formats.calls import OpenCalls
from spanloom.core.messages.texts import messages_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json

_HEARD = frozenset({"system", "developer", "user"})


class Turn(NamedTuple):
    """A message, and of which step it is."""

    message: Json
    step_id: str
    parts: Mapping[tuple[str, str], tuple[str, int]]
    """Where texts of the step stand: ``("output", "0.content")`` at ``("content", 12)``, counted in
    UTF-16 units."""


def conversation(agent: Json) -> Sequence[Turn]:
    """Return the turns of an agent of a document; of steps that are neither models nor tools none.

    Results of tools that ran beside each other stand in the order in which they were called.
    """
    turns: list[Turn] = []
    results: list[tuple[int, Turn]] = []
    calls = OpenCalls()
    heard: Sequence[Json] = ()
    for step in agent.get("steps", ()):
        if step.get("type") == "tool":
            number, call_id = calls.answer(step) or (len(turns) + len(results), "")
            results.append((number, _result(step, call_id or step["id"])))
        elif step.get("type") == "model":
            turns += _in_order(results)
            results = []
            said = messages_in(step.get("input", ""), "user")
            turns += _news(step, said, _shared(heard, said), calls)
            turns += (answers := list(_answer(step)))
            for call in (c for turn in answers for c in turn.message.get("tool_calls", ())):
                calls.add(call)
            heard = said
    return [*turns, *_in_order(results)]


def _in_order(results: list[tuple[int, Turn]]) -> Iterator[Turn]:
    return (turn for _, turn in sorted(results, key=itemgetter(0)))


def _result(step: Json, call_id: str) -> Turn:
    """Return what a tool gave back, or why it failed."""
    error = (step.get("basic_info") or {}).get("error") or {}
    text = step.get("output") or error.get("msg") or ""
    name = step.get("name", "")
    message = {"role": "tool", "tool_call_id": call_id, "name": name, "content": text}
    return Turn(message, step["id"], {("output", ""): ("content", 0)})


def _news(step: Json, said: Sequence[Json], known: int, calls: OpenCalls) -> Iterator[Turn]:
    """Yield what was not said before; also what a tool gave back that is no step of its own."""
    for at, message in enumerate(said[known:], known):
        is_result = message["role"] == "tool" and calls.answer_id(str(message.get("tool_call_id")))
        if message["role"] in _HEARD or is_result:
            places = (("input", f"{at}.content"), ("input", "")) if len(said) == 1 else None
            parts = dict.fromkeys(places or [("input", f"{at}.content")], ("content", 0))
            kept = {name: value for name, value in message.items() if name != "tool_calls"}
            is_said = isinstance(message.get("content"), str | list)
            yield Turn(kept if is_said else kept | {"content": ""}, step["id"], parts)


def _answer(step: Json) -> Iterator[Turn]:
    """Yield the one turn of a model's answer: its messages are joined into one."""
    texts: list[str] = []
    calls: list[Json] = []
    parts: dict[tuple[str, str], tuple[str, int]] = {}
    answers = messages_in(step.get("output", ""), "assistant")
    for at, answer in enumerate(answers):
        if text := _text(answer.get("content")):
            parts["output", f"{at}.content"] = "content", sum(_units(t) + 1 for t in texts)
            texts.append(text)
        for k, call in enumerate(answer.get("tool_calls") or ()):
            place = "output", f"{at}.tool_calls.{k}.function.arguments"
            parts[place] = f"tool_calls.{len(calls)}.function.arguments", 0
            calls.append({**call, "id": call.get("id") or f"{step['id']}.{len(calls)}"})
    if answers:
        if len(answers) == 1:
            parts["output", ""] = "content", 0
        message = {"role": "assistant", "content": "\n".join(texts)}
        yield Turn(message | ({"tool_calls": calls} if calls else {}), step["id"], parts)


def _shared(before: Sequence[Json], now: Sequence[Json]) -> int:
    """Return how many messages both begin with."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(before), len(now)))


def _text(content: object) -> str:
    """Return what a message says in words; of media nothing."""
    if isinstance(content, list):
        said = [p.get("text") for p in content if isinstance(p, dict) and p.get("type") == "text"]
        return "\n".join(text for text in said if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
