"""What an agent was asked and what it answered, where its own span does not say.

Many instrumentations put messages on model calls only. The request is what the user said last in
the agent's first call, the answer is what its last call said. What another agent was asked and
answered counts like a call's; of several that ran side by side only what they have in common, else
what the graph around them was asked. The step's metadata names the step that the text is from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.core.extraction.pauses import has_stopped
from spanloom.core.model.message import find_answer, find_request, read_conversation
from spanloom.core.model.trajectory import StepType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.message import Json
    from spanloom.core.model.trajectory import Step

_MAY_ANSWER = (StepType.AGENT, StepType.MODEL)
_CALLS = (StepType.MODEL, StepType.TOOL)


def complete_texts(
    owners: Iterable[Step], owned: Mapping[str, Sequence[Step]]
) -> Mapping[str, Step]:
    """Return the owners that lack a text which their steps have, completed, by step id.

    ``owners`` are agents and the root; an inner one is completed before the one around it.
    """
    completed: dict[str, Step] = {}
    for owner in sorted(owners, key=lambda step: (step.start_ns, -step.end_ns), reverse=True):
        if owner.type in _CALLS or (owner.input and _has_ended(owner)):
            continue
        answering = [
            completed.get(s.id, s) for s in owned.get(owner.id, ()) if s.type in _MAY_ANSWER
        ]
        whole = _complete(owner, answering, owned)
        if whole is not owner:
            completed[owner.id] = whole
    return completed


def _has_ended(owner: Step) -> bool:
    """Return whether there is no answer to look for."""
    return bool(owner.output) or owner.error is not None or has_stopped(owner)


def _complete(owner: Step, answering: Sequence[Step], owned: Mapping[str, Sequence[Step]]) -> Step:
    if not answering:
        return owner
    first, last = answering[0], answering[-1]
    asked = answer = ""
    if not owner.input:
        asked = _common(_read_text(s, s.input, _request) for s in _beside(first, answering, owned))
        graph = next((s for s in owned[owner.id] if s.type is StepType.GRAPH), None)
        if not asked and graph is not None:
            first, asked = graph, graph.input
    if not _has_ended(owner):
        answer = _common(_read_text(s, s.output, _answer) for s in _beside(last, answering, owned))
    if not asked and not answer:
        return owner
    metadata = dict(owner.metadata)
    if asked:
        metadata["input_from"] = first.id
    if answer:
        metadata["output_from"] = last.id
    return owner._replace(
        input=owner.input or asked, output=owner.output or answer, metadata=metadata
    )


def _beside(
    step: Step, others: Sequence[Step], owned: Mapping[str, Sequence[Step]]
) -> Iterator[Step]:
    """Yield the step and those that ran while it ran, for most of the time of the shorter one."""
    start_ns, end_ns = step.start_ns, _worked_until(step, owned)
    for other in others:
        other_end_ns = _worked_until(other, owned)
        both_ns = min(end_ns, other_end_ns) - max(start_ns, other.start_ns)
        shorter_ns = min(end_ns - start_ns, other_end_ns - other.start_ns)
        if other is step or 2 * both_ns > shorter_ns:
            yield other


def _worked_until(step: Step, owned: Mapping[str, Sequence[Step]]) -> int:
    """Return when the last of its steps ended: Eino's agents end when the whole run does."""
    inner = owned.get(step.id)
    return max([s.end_ns for s in inner]) if inner else step.end_ns


def _common(texts: Iterable[str]) -> str:
    """Return what all say alike; of agents side by side none speaks for the others."""
    different = set(texts) - {""}
    return different.pop() if len(different) == 1 else ""


def _read_text(step: Step, text: str, read: Callable[[str], str]) -> str:
    return read(text) if text and step.type is StepType.MODEL else text


def _request(messages: str) -> str:
    """Return the last thing the user said; the whole input if there is no such thing."""
    return _text(find_request(read_conversation(messages))) or messages


def _answer(messages: str) -> str:
    """Return what the last message says; the whole output if it says nothing, but calls a tool."""
    return _text(find_answer(read_conversation(messages))) or messages


def _text(payload: Json) -> str:
    if payload is None or isinstance(payload, str):
        return payload or ""
    return orjson.dumps(payload).decode()
