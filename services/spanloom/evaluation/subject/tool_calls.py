"""Reads the tools that an agent of a document ran, and the calls that its models requested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.calls import OpenCalls
from spanloom.core.messages.texts import messages_in
from spanloom.core.values.python_repr import as_json
from spanloom.evaluation.subject.call import Call, read_arguments
from spanloom.evaluation.subject.message_calls import calls_requested_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.evaluation.subject.message_calls import RequestedCall


def tools_run_by(agent: DocumentAgent) -> list[tuple[int, Call]]:
    """Return the tool steps of an agent as calls, with their starts in milliseconds.

    LangChain's callbacks write an input as a Python repr (``{'city': 'Oslo'}``) or bare (``Oslo``).
    If a bare input is the only value in the arguments of the model's call, these arguments replace
    it; they also replace an input that was not captured.
    """
    steps = [(s, _input_of(s)) for s in agent.steps if s.type == "tool"]
    if all(isinstance(arguments, dict) and step.input for step, arguments in steps):
        requested: dict[str, object] = {}
    else:
        requested = _arguments_by_step(agent)
    return [
        (
            s.started_at,
            Call(s.name, _whole(s, arguments, requested), s.id, failed=s.error is not None),
        )
        for s, arguments in steps
    ]


def requested_by(agent: DocumentAgent) -> list[tuple[int, Call]]:
    """Return the calls in the outputs of an agent's models, with the models' starts."""
    failed = _failed_calls(agent) if any(map(_has_failed, agent.steps)) else frozenset()
    found: list[tuple[int, Call]] = []
    for step, name, arguments in _requests(agent):
        call = Call(name, arguments, step.id, failed=len(found) in failed)
        found.append((step.started_at, call))
    return found


def _input_of(step: DocumentStep) -> object:
    arguments = read_arguments(step.input)
    is_repr = isinstance(arguments, str) and arguments.startswith("{")
    return read_arguments(as_json(step.input)) if is_repr else arguments


def _whole(step: DocumentStep, arguments: object, requested: dict[str, object]) -> object:
    """Return a tool step's arguments; ``requested`` has the models' arguments, keyed by step id."""
    known = requested.get(step.id)
    if not isinstance(known, dict) or not known:
        return arguments
    if not step.input:
        return known
    is_bare = not isinstance(arguments, dict) and len(known) == 1
    return known if is_bare and next(iter(known.values())) in (arguments, step.input) else arguments


def _arguments_by_step(agent: DocumentAgent) -> dict[str, object]:
    """Return the arguments of the answered calls of an agent, keyed by the tool step's id."""
    return {step.id: arguments for step, _, arguments in _answers(agent)}


def _failed_calls(agent: DocumentAgent) -> frozenset[int]:
    """Return the positions, among the requested calls, of the calls whose tools failed."""
    return frozenset(number for step, number, _ in _answers(agent) if step.error is not None)


def _answers(agent: DocumentAgent) -> Iterator[tuple[DocumentStep, int, object]]:
    """Yield each tool step that answers a requested call, and the call's position and arguments."""
    calls = OpenCalls()
    arguments: list[object] = []
    for step in agent.steps:
        if step.type == "model":
            for requested in _calls_in(step):
                function = {"name": requested.name, "arguments": requested.arguments}
                calls.add({"id": requested.id, "function": function})
                arguments.append(requested.arguments)
        elif step.type == "tool" and (place := calls.answer(step)) is not None:
            yield step, place[0], arguments[place[0]]


def _requests(agent: DocumentAgent) -> Iterator[tuple[DocumentStep, str, object]]:
    for step in agent.steps:
        if step.type == "model":
            for requested in _calls_in(step):
                yield step, requested.name, requested.arguments


def _calls_in(step: DocumentStep) -> Iterator[RequestedCall]:
    for message in messages_in(step.output, "assistant"):
        yield from calls_requested_by(message)


def _has_failed(step: DocumentStep) -> bool:
    return step.type == "tool" and step.error is not None
