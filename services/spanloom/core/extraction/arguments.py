"""What a tool was called with, where its span does not say it whole.

OpenInference writes LangChain's ``{"city": "Oslo"}`` as ``Oslo``, and ``{}`` not at all. The model
that asked for the call did so by the same id, and wrote the arguments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.message import read_conversation
from spanloom.core.model.trajectory import StepType
from spanloom.core.reading.messages.wire import as_text
from spanloom.core.reading.values import json_object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from spanloom.core.model.trajectory import Step

_MODEL, _TOOL = StepType.MODEL, StepType.TOOL
CALL_ID = "tool_call_id"
_BEGAN = attrgetter("start_ns", "id")


class _Asked(NamedTuple):
    """A call that a model asked for."""

    arguments: str
    step: Step


class _Place(NamedTuple):
    """By what a tool step finds the call that it is."""

    tool: str
    call_id: str
    """Empty where LangChain.js's instrumentation leaves it out."""
    shown: str
    """What OpenInference makes of the arguments."""


def complete_arguments(steps: Collection[Step]) -> Sequence[Step]:
    """Return the tool steps whose arguments a model's call completes, completed."""
    lacking = [s for s in steps if s.type is _TOOL and _lacks(s)]
    if not lacking:
        return ()
    asked: defaultdict[_Place, list[_Asked]] = defaultdict(list)
    for step in sorted((s for s in steps if s.type is _MODEL), key=_BEGAN):
        for place, arguments in _asked_in(step):
            asked[place].append(_Asked(arguments, step))
    found = ((step, _of(step, asked)) for step in lacking)
    return [
        step._replace(input=a.arguments, metadata={**step.metadata, "input_from": a.step.id})
        for step, a in found
        if a is not None
    ]


def _lacks(step: Step) -> bool:
    return CALL_ID in step.metadata and not step.input.startswith("{")


def _asked_in(step: Step) -> Iterator[tuple[_Place, str]]:
    messages = read_conversation(step.output) if '"tool_calls":' in step.output else []
    for message in messages:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and isinstance(function := call.get("function"), dict):
                name, arguments = as_text(function.get("name")), as_text(function.get("arguments"))
                values = [*json_object(arguments).values()]
                if len(values) <= 1:
                    shown = as_text(values[0]) if values else ""
                    yield _Place(name, as_text(call.get("id")), shown), arguments


def _of(step: Step, asked: Mapping[_Place, Sequence[_Asked]]) -> _Asked | None:
    """Return the call that the tool step is: the last one before it that says what it shows."""
    found = []
    for call_id in (step.metadata[CALL_ID], ""):
        same = asked.get(_Place(step.name, call_id, step.input), ())
        if before := bisect_right(same, step.start_ns, key=lambda a: a.step.start_ns):
            found.append(same[before - 1])
    return max(found, key=lambda a: a.step.start_ns, default=None)
