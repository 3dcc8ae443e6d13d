"""Fills in missing requests and answers of agents, and arguments of tools, from other steps.

Many instrumentations report messages only on model calls. An agent's request is the user's last
message in its first call, its answer is the output of its last call; inner agents, with their
requests and answers, are used like calls. If the first or the last steps run concurrently, their
text is used only if it is the same in all of them; if requests differ, the input of the first graph
is used. Guardrails and the steps inside of them are ignored, and so are steps that end after the
agent. ``input_from`` and ``output_from`` in the metadata name the step from which a text was
copied.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.extraction.pauses import has_stopped
from spanloom.core.messages.frames import without_frames
from spanloom.core.messages.wire import as_text
from spanloom.core.model.message import calls_of, find_answer, find_request, read_conversation
from spanloom.core.model.span import ASIDE, GUARDRAIL
from spanloom.core.model.step import StepType
from spanloom.core.model.tree import BLUR_NS
from spanloom.core.values.attributes import json_object, json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.message import Json
    from spanloom.core.model.step import Step, StepError

_MAY_ANSWER = (StepType.AGENT, StepType.MODEL)
_CALLS = (StepType.MODEL, StepType.TOOL)


def complete_texts(
    owners: Iterable[Step], owned: Mapping[str, Sequence[Step]]
) -> Mapping[str, Step]:
    """Return the owners whose missing texts were completed from their steps, by step id.

    ``owners`` are agents and the root; inner owners are completed before outer owners.
    """
    completed: dict[str, Step] = {}
    for owner in sorted(owners, key=lambda step: (step.start_ns, -step.end_ns), reverse=True):
        if owner.type in _CALLS or (owner.input and _has_ended(owner)):
            continue
        answering = [completed.get(s.id, s) for s in _answering(owned.get(owner.id, ()))]
        whole = _complete(owner, _in_time(owner, answering), owned)
        if whole is not owner:
            completed[owner.id] = whole
    return completed


def _answering(owned: Sequence[Step]) -> Sequence[Step]:
    """Return the agents and model calls that may have the owner's texts, excluding guardrails."""
    may_answer = [s for s in owned if s.type in _MAY_ANSWER]
    guardrails = {s.id for s in owned if s.metadata.get("tool_kind") == GUARDRAIL}
    guardrails |= {s.id for s in owned if ASIDE in s.metadata}
    tools = {s.id for s in owned if s.type is StepType.TOOL}
    if not guardrails and not tools:
        return may_answer
    parents = {s.id: s.parent_id for s in owned}
    may_answer = [s for s in may_answer if not _is_inside(s.id, parents, guardrails)]
    return [s for s in may_answer if not _is_inside(s.id, parents, tools)] or may_answer


def _is_inside(step_id: str, parents: Mapping[str, str], guardrails: Collection[str]) -> bool:
    while step_id in parents and step_id not in guardrails:
        step_id = parents[step_id]
    return step_id in guardrails


def _in_time(owner: Step, answering: Sequence[Step]) -> Sequence[Step]:
    """Return the steps that ended before their owner; all steps if none did."""
    latest_ns = owner.end_ns + BLUR_NS
    return [s for s in answering if s.end_ns <= latest_ns] or answering


def _has_ended(owner: Step) -> bool:
    """Return whether no answer has to be derived: the owner answered, failed, or was stopped."""
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
    """Yield the step, and the steps that overlap it for most of the shorter one's duration."""
    start_ns, end_ns = step.start_ns, _worked_until(step, owned)
    for other in others:
        other_end_ns = _worked_until(other, owned)
        both_ns = min(end_ns, other_end_ns) - max(start_ns, other.start_ns)
        shorter_ns = min(end_ns - start_ns, other_end_ns - other.start_ns)
        if other is step or 2 * both_ns > shorter_ns:
            yield other


def _worked_until(step: Step, owned: Mapping[str, Sequence[Step]]) -> int:
    """Return the latest end of the steps that an agent owns, in ns; otherwise the step's own end.

    The agent's own end is not used, because Eino's agents end only with the whole run.
    """
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
    return without_frames(_text(find_request(read_conversation(messages))) or messages)


def _answer(messages: str) -> str:
    """Return the last message's content; the whole output if the message only calls tools."""
    return _text(find_answer(read_conversation(messages))) or messages


def _text(payload: Json) -> str:
    if payload is None or isinstance(payload, str):
        return payload or ""
    return orjson.dumps(payload).decode()


_MODEL, _TOOL = StepType.MODEL, StepType.TOOL
CALL_ID = "tool_call_id"
_BEGAN = attrgetter("start_ns", "id")


class _Requested(NamedTuple):
    """The arguments of a tool call that a model requested, and the step that requested it."""

    arguments: str
    step: Step


class _Place(NamedTuple):
    """A key that a model's tool call and the tool step that ran it have in common."""

    tool: str
    call_id: str
    """Empty if the instrumentation omits it, as for LangChain.js."""
    shown: str
    """The arguments as OpenInference reports them on tools: a single value, without its name."""


def complete_arguments(steps: Collection[Step]) -> Sequence[Step]:
    """Return the tool steps whose arguments were completed from a model's tool calls."""
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
        for call in calls_of(message) if isinstance(message, dict) else ():
            if isinstance(function := call.get("function"), dict):
                name, arguments = as_text(function.get("name")), as_text(function.get("arguments"))
                values = [*json_object(arguments).values()]
                if len(values) <= 1:
                    shown = as_text(values[0]) if values else ""
                    yield _Place(name, as_text(call.get("id")), shown), arguments


def _call_of(step: Step, requested: Mapping[_Place, Sequence[_Requested]]) -> _Requested | None:
    """Return the last tool call before a tool step that has the step's key, or ``None``."""
    candidates = []
    for call_id in (step.metadata[CALL_ID], ""):
        same = requested.get(_Place(step.name, call_id, step.input), ())
        if before := bisect_right(same, step.start_ns, key=lambda a: a.step.start_ns):
            candidates.append(same[before - 1])
    return max(candidates, key=lambda a: a.step.start_ns, default=None)


_FRAMES = frozenset({"role", "type", "id", "name", "status", "tool_call_id"})
"""Keys of a result's wrapper, whose values are not content."""
MOST_AROUND = 60
"""Maximum characters around a message that add nothing to it: ``Error calling tool 'x': ``."""


def adds_to_error(output: str, error: StepError) -> bool:
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
    """Return whether a string or number adds to the error more than a short text around it."""
    if not isinstance(leaf, str):
        return leaf != error.code
    text = leaf.strip()
    if text == error.type or any(ending.endswith(text) for ending in endings):
        return False
    return len(text) - len(error.message) > MOST_AROUND or error.message not in text
