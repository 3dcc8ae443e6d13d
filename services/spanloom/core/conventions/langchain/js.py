"""Reads the messages in states that LangChain.js serializes, if spans report no messages.

A message is ``{"lc": 1, "type": "constructor", "id": […, "AIMessage"], "kwargs": {…}}``. An agent
sets its name on each answer that it adds to the state. An answer has the requested tool calls
and the usage; a ``ToolMessage`` has the name of the tool that ran.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.usage import read_payload
from spanloom.core.values.attributes import Json, json_value, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.step import Usage

_ANSWERS = frozenset({"AIMessage", "AIMessageChunk"})
_RESULT = "ToolMessage"


class Message(NamedTuple):
    """A message in a state."""

    kind: str
    """The class name."""
    fields: dict[str, Json]
    whole: Json

    def text(self, key: str) -> str:
        """Return the field if it is a string, else an empty string."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    @property
    def calls(self) -> Sequence[dict[str, Json]]:
        """The tool calls that an answer requests."""
        calls = self.fields.get("tool_calls")
        return [c for c in calls if isinstance(c, dict)] if isinstance(calls, list) else []

    @property
    def as_json(self) -> str:
        """The message as it was serialized."""
        return written(self.whole)

    @property
    def usage(self) -> Usage | None:
        """The token counts of the answer; ``None`` if not reported."""
        usage = self.fields.get("usage_metadata")
        return read_payload(usage) if isinstance(usage, dict) else None


def read_answers(state: str) -> Sequence[Message]:
    """Return the model's answers in a state, in order."""
    return [m for m in _messages(state) if m.kind in _ANSWERS] if "AIMessage" in state else []


def find_result(state: str) -> Message | None:
    """Return the last tool result in a state, or ``None``."""
    results = [m for m in _messages(state) if m.kind == _RESULT] if _RESULT in state else []
    return results[-1] if results else None


def find_new_answer(before: str, after: str) -> Message | None:
    """Return the one answer that state ``after`` has and state ``before`` lacks, else ``None``.

    If ``after`` has only one answer, return it without comparing.
    """
    answers = read_answers(after)
    if len(answers) > 1:
        known = {m.text("id") for m in read_answers(before)}
        answers = [m for m in answers if m.text("id") not in known]
    return answers[0] if len(answers) == 1 else None


def complete_history(messages: str, state: str) -> str:
    """Return a request with its messages replaced by the state's messages, which have tool calls.

    The result is empty if the request has no assistant message, or if the state lacks more than the
    leading system prompts.
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
    """Return the name of the tool that a state's last answer calls with ``arguments``.

    The result is empty if there is no such tool, or more than one.
    """
    parsed = json_value(arguments)
    answers = read_answers(state)
    names = {
        str(c.get("name", "")) for m in answers[-1:] for c in m.calls if c.get("args") == parsed
    }
    return names.pop() if len(names) == 1 else ""


def _messages(state: str) -> Iterator[Message]:
    """Yield all messages in order, without recursion: JSON may be nested a thousand levels deep."""
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
