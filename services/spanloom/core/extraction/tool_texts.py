"""Arguments and failed results of tools, where their spans do not have them whole."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.wire import as_text
from spanloom.core.model.message import read_conversation
from spanloom.core.model.trajectory import StepType
from spanloom.core.values.attributes import json_object, json_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from spanloom.core.model.trajectory import Step, StepError


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


_FRAMES = frozenset({"role", "type", "id", "name", "status", "tool_call_id"})
"""Keys of the shape in which a result is told, whatever it is."""
MOST_AROUND = 60
"""Characters around the failure that add nothing: ``Error calling tool 'get_weather': ``."""


def says_more(output: str, error: StepError) -> bool:
    """Return whether the output of a failed tool tells anything that its failure does not."""
    endings = error.message.rstrip(), error.traceback.rstrip()  # once: a traceback may be long
    return any(_adds(leaf, error, endings) for leaf in _leaves(json_value(output)))


def _leaves(told: object) -> Iterator[object]:
    """Yield what a JSON value tells, without its keys and what is true, false or null."""
    waiting = [told]
    while waiting:
        match waiting.pop():
            case dict() as mapping:
                waiting += [inner for key, inner in mapping.items() if key not in _FRAMES]
            case list() as items:
                waiting += items
            case None | bool() | "":
                pass
            case leaf:
                yield leaf


def _adds(leaf: object, error: StepError, endings: tuple[str, ...]) -> bool:
    """Return whether one text or number is told by the failure too, perhaps in fewer words."""
    if not isinstance(leaf, str):
        return leaf != error.code
    said = leaf.strip()
    if said == error.type or any(told.endswith(said) for told in endings):
        return False
    return len(said) - len(error.message) > MOST_AROUND or error.message not in said
