"""Derive an agent's request and answer from its steps if its own span does not report them.

Many instrumentations put messages on model calls only. The request is the user's last message in
the agent's first call, the answer is the output of its last call. Requests and answers of inner
agents count like a call's; of several concurrent ones only a text that they share, else the input
of the graph around them. The step's metadata names the step that the text is from.
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
    """Return the owners whose missing texts were completed from their steps, by step id.

    ``owners`` are agents and the root; inner ones are completed before outer ones.
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
    """Return whether no answer needs to be derived: it has one, failed, or was stopped."""
    return bool(owner.output) or owner.error is not None or has_stopped(owner)


def _complete(owner: Step, answering: Sequence[Step], owned: Mapping[str, Sequence[Step]]) -> Step:
    if not answering:
        return owner
    first, last = answering[0], answering[-1]
    request = answer = ""
    if not owner.input:
        starting = _concurrent(first, answering, owned)
        request = _common(_read_text(s, s.input, _request) for s in starting)
        graph = next((s for s in owned[owner.id] if s.type is StepType.GRAPH), None)
        if not request and graph is not None:
            first, request = graph, graph.input
    if not _has_ended(owner):
        ending = _concurrent(last, answering, owned)
        answer = _common(_read_text(s, s.output, _answer) for s in ending)
    if not request and not answer:
        return owner
    metadata = dict(owner.metadata)
    if request:
        metadata["input_from"] = first.id
    if answer:
        metadata["output_from"] = last.id
    return owner._replace(
        input=owner.input or request, output=owner.output or answer, metadata=metadata
    )


def _concurrent(
    step: Step, others: Sequence[Step], owned: Mapping[str, Sequence[Step]]
) -> Iterator[Step]:
    """Yield the step and those that overlap with it for most of the time of the shorter one."""
    start_ns, end_ns = step.start_ns, _worked_until(step, owned)
    for other in others:
        other_end_ns = _worked_until(other, owned)
        both_ns = min(end_ns, other_end_ns) - max(start_ns, other.start_ns)
        shorter_ns = min(end_ns - start_ns, other_end_ns - other.start_ns)
        if other is step or 2 * both_ns > shorter_ns:
            yield other


def _worked_until(step: Step, owned: Mapping[str, Sequence[Step]]) -> int:
    """Return the latest end of its steps, else its own: Eino's agents end with the whole run."""
    inner = owned.get(step.id)
    return max([s.end_ns for s in inner]) if inner else step.end_ns


def _common(texts: Iterable[str]) -> str:
    """Return the only distinct non-empty text; empty if there are several."""
    different = set(texts) - {""}
    return different.pop() if len(different) == 1 else ""


def _read_text(step: Step, text: str, read: Callable[[str], str]) -> str:
    return read(text) if text and step.type is StepType.MODEL else text


def _request(messages: str) -> str:
    """Return the user's last message; the whole input if there is none."""
    return _text(find_request(read_conversation(messages))) or messages


def _answer(messages: str) -> str:
    """Return the last message's content; the whole output if it only calls tools."""
    return _text(find_answer(read_conversation(messages))) or messages


def _text(payload: Json) -> str:
    if payload is None or isinstance(payload, str):
        return payload or ""
    return orjson.dumps(payload).decode()
