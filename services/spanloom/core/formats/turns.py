"""The turns of a conversation: messages, each with the step from which it was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.formats.losses import Code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_OF_ANSWERS = frozenset({"role", "content", "tool_calls", "reasoning_content"})
_CONTENTS = (str, list)


class Turn(NamedTuple):
    """A message, and the step from which it was taken."""

    message: Json
    step_id: str
    at: int | None = None
    """The index of the message in the step's input; ``None`` if it is from the output."""
    arguments: Sequence[object] = ()
    """The parsed arguments of the message's tool calls."""


def result_turn(step: DocumentStep, call_id: str) -> Turn:
    """Return the message with a tool's result or error message."""
    text = step.output or step.error_message
    message = {"role": "tool", "tool_call_id": call_id, "name": step.name, "content": text}
    return Turn(message, step.id)


def input_turn(step: DocumentStep, message: Json, at: int) -> Turn:
    """Return a message in the input of a model step as a turn."""
    if "tool_calls" in message:
        message = {name: value for name, value in message.items() if name != "tool_calls"}
    if not isinstance(message.get("content"), _CONTENTS):
        message = {**message, "content": ""}
    return Turn(message, step.id, at)


def joined_answer(
    step: DocumentStep, answers: Sequence[Json], losses: Losses, *, keeps_thoughts: bool
) -> Json:
    """Return the messages of a model's output as a single message."""
    texts: list[str] = []
    calls: list[Json] = []
    thoughts: list[str] = []
    for answer in answers:
        if not answer.keys() <= _OF_ANSWERS:
            losses.note(Code.METADATA_DROPPED, step.id)
        if text := text_of(answer.get("content")):
            texts.append(text)
        if isinstance(thought := answer.get("reasoning_content"), str) and thought:
            thoughts.append(thought)
        listed = answer.get("tool_calls")
        for call in listed if isinstance(listed, list) else ():
            if isinstance(call, dict):
                call_id = str(call.get("id") or f"{step.id}.{len(calls)}")
                calls.append({**call, "id": call_id})
    message: Json = {"role": "assistant", "content": "\n".join(texts)}
    if calls:
        message["tool_calls"] = calls
    if thoughts and keeps_thoughts:
        message["reasoning_content"] = "\n".join(thoughts)
    return message


def text_of(content: object) -> str:
    """Return the text of a message's content, without media."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [p.get("text") for p in content if isinstance(p, dict) and p.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
