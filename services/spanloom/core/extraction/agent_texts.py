"""What an agent was asked and what it answered, where its own span does not say.

Many instrumentations put messages on model calls only. The request is what the user said last in
the agent's first call, the answer is what its last call said. What another agent was asked and
answered counts like a call's. The step's metadata names the step that the text was taken from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.trajectory import StepType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.core.model.trajectory import Step

_USER_ROLES = ("user", "human")
"""No set: a role may be anything, also what cannot be hashed."""
_SPEAKERS = (StepType.AGENT, StepType.MODEL)
_CALLS = (StepType.MODEL, StepType.TOOL)


def tell_texts(owners: Iterable[Step], owned: Mapping[str, Sequence[Step]]) -> Mapping[str, Step]:
    """Give the owners that lack a text which their steps can tell, completed, by step id.

    ``owners`` are agents and the root; an inner one is completed before the one around it.
    """
    told: dict[str, Step] = {}
    for owner in sorted(owners, key=lambda step: (step.start_ns, -step.end_ns), reverse=True):
        if owner.type in _CALLS or (owner.input and (owner.output or owner.error)):
            continue
        speakers = [told.get(s.id, s) for s in owned.get(owner.id, ()) if s.type in _SPEAKERS]
        completed = _complete(owner, speakers)
        if completed is not owner:
            told[owner.id] = completed
    return told


def _complete(owner: Step, speakers: Sequence[Step]) -> Step:
    if not speakers:
        return owner
    first, last = speakers[0], speakers[-1]
    if not owner.input and (asked := _said(first, first.input, _request)):
        owner = owner._replace(input=asked, metadata={**owner.metadata, "input_from": first.id})
    if not owner.output and not owner.error and (answer := _said(last, last.output, _answer)):
        owner = owner._replace(output=answer, metadata={**owner.metadata, "output_from": last.id})
    return owner


def _said(speaker: Step, text: str, read: Callable[[str], str]) -> str:
    return read(text) if text and speaker.type is StepType.MODEL else text


def _request(messages: str) -> str:
    """Give the last thing the user said; the whole input if there is no such thing."""
    for message in reversed(_list(messages)):
        if isinstance(message, dict) and message.get("role") in _USER_ROLES:
            return _text(message) or messages
    return messages


def _answer(messages: str) -> str:
    """Give the text of the last message; the whole output if it has none, but calls a tool."""
    said = _list(messages)
    return (_text(said[-1]) if said else "") or messages


def _list(text: str) -> Sequence[object]:
    try:
        value = orjson.loads(text)
    except ValueError:
        return []
    return value if isinstance(value, list) else []


def _text(message: object) -> str:
    """Give a message's text, whole or in parts; empty if it has anything else."""
    if not isinstance(message, dict):
        return ""
    said = message.get("content") or message.get("parts") or message.get("contents")
    if isinstance(said, str):
        return said
    parts = [_part(part) for part in said] if isinstance(said, list) else []
    return "\n".join(parts) if all(parts) else ""


def _part(part: object) -> str:
    if not isinstance(part, dict) or part.get("type") != "text":
        return ""
    said = part.get("content") or part.get("text")
    return said if isinstance(said, str) else ""
