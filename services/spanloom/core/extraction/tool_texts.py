"""Complete arguments of tool steps from model calls, and compare failed results with errors."""

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


class _Requested(NamedTuple):
    """A tool call that a model requested."""

    arguments: str
    step: Step


class _Place(NamedTuple):
    """The key by which a tool step finds its requested call."""

    tool: str
    call_id: str
    """Empty if LangChain.js's instrumentation omits it."""
    shown: str
    """The arguments as OpenInference reports them."""


def complete_arguments(steps: Collection[Step]) -> Sequence[Step]:
    """Return the tool steps whose arguments were completed from a model's call."""
    lacking = [s for s in steps if s.type is _TOOL and _lacks(s)]
    if not lacking:
        return ()
    requested: defaultdict[_Place, list[_Requested]] = defaultdict(list)
    for step in sorted((s for s in steps if s.type is _MODEL), key=_BEGAN):
        for place, arguments in _calls_in(step):
            requested[place].append(_Requested(arguments, step))
    pairs = ((step, _call_of(step, requested)) for step in lacking)
    return [
        step._replace(input=call.arguments, metadata={**step.metadata, "input_from": call.step.id})
        for step, call in pairs
        if call is not None
    ]


def _lacks(step: Step) -> bool:
    return CALL_ID in step.metadata and not step.input.startswith("{")


def _calls_in(step: Step) -> Iterator[tuple[_Place, str]]:
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


def _call_of(step: Step, requested: Mapping[_Place, Sequence[_Requested]]) -> _Requested | None:
    """Return the requested call of a tool step: the last one before it with its arguments."""
    candidates = []
    for call_id in (step.metadata[CALL_ID], ""):
        same = requested.get(_Place(step.name, call_id, step.input), ())
        if before := bisect_right(same, step.start_ns, key=lambda a: a.step.start_ns):
            candidates.append(same[before - 1])
    return max(candidates, key=lambda a: a.step.start_ns, default=None)


_FRAMES = frozenset({"role", "type", "id", "name", "status", "tool_call_id"})
"""Keys of a result's envelope, which are no content."""
MOST_AROUND = 60
"""Maximum characters around an error that add nothing: ``Error calling tool 'get_weather': ``."""


def says_more(output: str, error: StepError) -> bool:
    """Return whether the output of a failed tool contains anything that its error does not."""
    endings = error.message.rstrip(), error.traceback.rstrip()  # once: a traceback may be long
    return any(_adds(leaf, error, endings) for leaf in _leaves(json_value(output)))


def _leaves(value: object) -> Iterator[object]:
    """Yield the strings and numbers of a JSON value, without empty strings."""
    waiting = [value]
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
    """Return whether one string or number is not in the error, apart from a short wrapper."""
    if not isinstance(leaf, str):
        return leaf != error.code
    text = leaf.strip()
    if text == error.type or any(ending.endswith(text) for ending in endings):
        return False
    return len(text) - len(error.message) > MOST_AROUND or error.message not in text
