"""The tools that an agent of a document ran, and those that its models asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.calls import OpenCalls
from spanloom.core.messages.texts import messages_in
from spanloom.evaluation.subject.call import Call, read_arguments
from spanloom.evaluation.subject.message_calls import asked_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.evaluation.subject.message_calls import Asked


def tools_run_by(agent: DocumentAgent) -> list[tuple[int, Call]]:
    """Return the tool steps of an agent as calls, with their starts in milliseconds.

    The input of a step that is no object is replaced by the arguments of the model's call if it is
    the only one of them: LangChain writes ``{"city": "Oslo"}`` as ``Oslo``. So is one that was not
    captured.
    """
    steps = [(s, read_arguments(s.input)) for s in agent.steps if s.type == "tool"]
    if all(isinstance(given, dict) and step.input for step, given in steps):
        asked: dict[str, object] = {}
    else:
        asked = _asked_for(agent)
    return [
        (s.started_at, Call(s.name, _whole(s, given, asked), s.id, failed=s.error is not None))
        for s, given in steps
    ]


def requested_by(agent: DocumentAgent) -> list[tuple[int, Call]]:
    """Return the calls in the outputs of an agent's models, with the starts of these."""
    failed = _failed_calls(agent) if any(map(_has_failed, agent.steps)) else frozenset()
    found: list[tuple[int, Call]] = []
    for step, name, given in _requests(agent):
        call = Call(name, given, step.id, failed=len(found) in failed)
        found.append((step.started_at, call))
    return found


def _whole(step: DocumentStep, given: object, asked: dict[str, object]) -> object:
    """Return the arguments of a tool step; ``asked`` are those of the calls, by step."""
    known = asked.get(step.id)
    if not isinstance(known, dict) or not known:
        return given
    if not step.input:
        return known
    is_bare = not isinstance(given, dict) and len(known) == 1
    return known if is_bare and next(iter(known.values())) in (given, step.input) else given


def _asked_for(agent: DocumentAgent) -> dict[str, object]:
    """Return the arguments of the calls that the tool steps of an agent answer, by step."""
    return {step.id: given for step, _, given in _answers(agent)}


def _failed_calls(agent: DocumentAgent) -> frozenset[int]:
    """Return the numbers of the calls whose tools failed."""
    return frozenset(number for step, number, _ in _answers(agent) if step.error is not None)


def _answers(agent: DocumentAgent) -> Iterator[tuple[DocumentStep, int, object]]:
    """Yield each tool step that answers a call, the number of the call, and its arguments."""
    calls = OpenCalls()
    given: list[object] = []
    for step in agent.steps:
        if step.type == "model":
            for asked in _asked_in(step):
                function = {"name": asked.name, "arguments": asked.arguments}
                calls.add({"id": asked.id, "function": function})
                given.append(asked.arguments)
        elif step.type == "tool" and (place := calls.answer(step)) is not None:
            yield step, place[0], given[place[0]]


def _requests(agent: DocumentAgent) -> Iterator[tuple[DocumentStep, str, object]]:
    for step in agent.steps:
        if step.type == "model":
            for asked in _asked_in(step):
                yield step, asked.name, asked.arguments


def _asked_in(step: DocumentStep) -> Iterator[Asked]:
    for message in messages_in(step.output, "assistant"):
        yield from asked_by(message)


def _has_failed(step: DocumentStep) -> bool:
    return step.type == "tool" and step.error is not None
