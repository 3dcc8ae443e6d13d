"""What a tool was called with, where its span does not say it whole.

OpenInference writes LangChain's ``{"city": "Oslo"}`` as ``Oslo``, and ``{}`` not at all. The model
that asked for the call did so by the same id, and wrote the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.message import read_conversation
from spanloom.core.model.trajectory import StepType
from spanloom.core.reading.messages.wire import as_text
from spanloom.core.reading.values import json_object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from spanloom.core.model.message import Json
    from spanloom.core.model.trajectory import Step

_MODEL, _TOOL = StepType.MODEL, StepType.TOOL
CALL_ID = "tool_call_id"


class _Asked(NamedTuple):
    """A call that a model asked for."""

    call_id: str
    tool: str
    arguments: str
    step: Step


def complete_arguments(steps: Collection[Step]) -> Sequence[Step]:
    """Return the tool steps whose arguments a model's call completes, completed."""
    lacking = [s for s in steps if s.type is _TOOL and _lacks(s)]
    if not lacking:
        return ()
    asked = [a for s in steps if s.type is _MODEL for a in _asked_in(s)]
    found = ((step, _of(step, asked)) for step in lacking)
    return [
        step._replace(input=a.arguments, metadata={**step.metadata, "input_from": a.step.id})
        for step, a in found
        if a is not None
    ]


def _lacks(step: Step) -> bool:
    return CALL_ID in step.metadata and not step.input.startswith("{")


def _asked_in(step: Step) -> Iterator[_Asked]:
    messages = read_conversation(step.output) if '"tool_calls":' in step.output else []
    for message in messages:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and isinstance(function := call.get("function"), dict):
                name, arguments = as_text(function.get("name")), as_text(function.get("arguments"))
                yield _Asked(as_text(call.get("id")), name, arguments, step)


def _of(step: Step, asked: Sequence[_Asked]) -> _Asked | None:
    """Return the call that the tool step is, if what the step shows is in its arguments."""
    same = [
        a
        for a in asked
        if a.tool == step.name
        and a.call_id
        in (step.metadata[CALL_ID], "")  # LangChain.js's instrumentation leaves it out
        and a.step.start_ns <= step.start_ns
        and _says(step.input, json_object(a.arguments))
    ]
    return max(same, key=lambda a: a.step.start_ns, default=None)


def _says(shown: str, arguments: dict[str, Json]) -> bool:
    values = [*arguments.values()]
    return not values if not shown else len(values) == 1 and as_text(values[0]) == shown
