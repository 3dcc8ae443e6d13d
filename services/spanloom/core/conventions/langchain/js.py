"""Messages in the states that LangChain.js serializes, for a dialect whose spans say less.

A message is ``{"lc": 1, "type": "constructor", "id": […, "AIMessage"], "kwargs": {…}}``. An agent
puts its name on each answer that it adds to the state; an answer tells the calls that the model
asked for and what it cost, a ``ToolMessage`` which tool ran.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.langchain.usage import read_usage
from spanloom.core.values.attributes import Json, json_value, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.trajectory import Usage

_ANSWERS = frozenset({"AIMessage", "AIMessageChunk"})
_RESULT = "ToolMessage"


class Message(NamedTuple):
    """A message of a state."""

    kind: str
    """Its class."""
    fields: dict[str, Json]
    whole: Json

    def text(self, key: str) -> str:
        """Return what it says under a key, if that is a text."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    @property
    def calls(self) -> Sequence[dict[str, Json]]:
        """The tool calls that an answer asks for."""
        calls = self.fields.get("tool_calls")
        return [c for c in calls if isinstance(c, dict)] if isinstance(calls, list) else []

    @property
    def as_json(self) -> str:
        """The message as it was serialized."""
        return written(self.whole)

    @property
    def usage(self) -> Usage | None:
        """What the answer cost, if it says so."""
        usage = self.fields.get("usage_metadata")
        return read_usage(usage) if isinstance(usage, dict) else None


def read_answers(state: str) -> Sequence[Message]:
    """Return the model's answers in a state, in order."""
    return [m for m in _messages(state) if m.kind in _ANSWERS] if "AIMessage" in state else []


def find_result(state: str) -> Message | None:
    """Return the last result of a tool in a state."""
    results = [m for m in _messages(state) if m.kind == _RESULT] if _RESULT in state else []
    return results[-1] if results else None


def find_new_answer(before: str, after: str) -> Message | None:
    """Return the one answer that a state has gained; ``None`` if there is none or several."""
    answers = read_answers(after)
    if len(answers) > 1:
        known = {m.text("id") for m in read_answers(before)}
        answers = [m for m in answers if m.text("id") not in known]
    return answers[0] if len(answers) == 1 else None


def complete_history(messages: str, state: str) -> str:
    """Return the messages of a request with those of the state for those that leave out the calls.

    The state lacks only system prompts, which come first; where the two do not fit, empty.
    """
    if '"assistant"' not in messages:
        return ""
    request, history = json_value(messages), list(_messages(state))
    if not isinstance(request, list) or not 0 < len(history) <= len(request):
        return ""
    prompts = request[: len(request) - len(history)]
    if any(not isinstance(m, dict) or m.get("role") != "system" for m in prompts):
        return ""
    return written([*prompts, *[m.whole for m in history]])


def find_call(state: str, arguments: str) -> str:
    """Return the tool that the last answer in a state calls with these arguments, else empty."""
    wanted = json_value(arguments)
    answers = read_answers(state)
    names = {
        str(c.get("name", "")) for m in answers[-1:] for c in m.calls if c.get("args") == wanted
    }
    return names.pop() if len(names) == 1 else ""


def _messages(state: str) -> Iterator[Message]:
    """Walk without recursion: the JSON of a span may be nested a thousand deep."""
    if '"kwargs"' not in state:
        return
    pending: list[Json] = [json_value(state)]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(reversed(value))
        elif isinstance(value, dict):
            fields, names = value.get("kwargs"), value.get("id")
            if isinstance(fields, dict) and isinstance(names, list) and names:
                yield Message(str(names[-1]), fields, value)
            else:
                pending.extend(reversed(value.values()))
