"""The rule ``unused_results``: each tool result appears in the input of a later model call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from pydantic import BeforeValidator, Field

from spanloom.core.conventions.listed_messages import HISTORY, OMITTED
from spanloom.core.messages.texts import messages_in
from spanloom.core.values.attributes import json_value
from spanloom.core.values.python_repr import as_json
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.facts import canonical
from spanloom.evaluation.rules.rule import (
    ORDER,
    NotApplicableError,
    Rule,
    Verdict,
    evidence_of,
    named,
    times,
)
from spanloom.evaluation.rules.shingles import Sought, find_reached

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check


def _none(value: object) -> object:
    return 0 if value is True else value


Most = Annotated[int, Field(strict=True, ge=0), BeforeValidator(_none)]
"""``true`` for zero, or the number of results that may be unused."""
_MAX_FORMS = 64
"""Maximum texts inside a result that are searched for, in addition to the whole result."""
_MAX_REPR = 1 << 16
"""Maximum characters of a result that are parsed as a Python repr, which costs more than JSON."""
_JSON = ("{", "[")


class _Inputs(NamedTuple):
    """The texts in inputs of an agent's model calls, with the last position of each."""

    ids: Mapping[str, int]
    """Call ids of tool results, each with its last position."""
    texts: Mapping[str, int]
    is_captured: bool
    last: int
    """Position of the last model call; -1 if there is none."""


def _unused(allowed: int) -> Check:
    def check(facts: Facts) -> Verdict:
        judged, unused = _find_unused(facts)
        if not judged:
            raise NotApplicableError(
                "the run has no tool result, or inputs of its models were not captured"
            )
        count = len(unused)
        metrics = {"measured": float(count), "limit": float(allowed), "results": float(judged)}
        if not count:
            return Verdict(True, "every result reached a later model call", (), metrics)
        rationale = f"{times(count, 'result')} reached no later model call: "
        rationale += named(step.name for step in unused)
        return Verdict(count <= allowed, rationale, evidence_of(unused, "output"), metrics)

    return check


def _find_unused(facts: Facts) -> tuple[int, Sequence[DocumentStep]]:
    """Return the number of results that could be judged, and the steps of the unused results."""
    everything = facts if facts.agent is None else type(facts)(facts.document)
    positions = {id(step): at for at, step in enumerate(everything.steps)}
    inputs_by_agent: dict[int, _Inputs] = {}
    judged = 0
    unused: list[DocumentStep] = []
    for agent in facts.agents:
        readers = [agent]
        if (caller := facts.callers.get(agent.id)) is not None:
            readers.append(caller)
        inputs = [
            inputs_by_agent.setdefault(id(one), _read_inputs(one, positions)) for one in readers
        ]
        results = [step for step in agent.steps if step.type == "tool" and step.output]
        if not results or not any(one.is_captured for one in inputs):
            continue
        judged += len(results)
        used = _used(results, inputs, positions)
        unused += [step for at, step in enumerate(results) if at not in used]
    unused.sort(key=lambda step: positions[id(step)])
    return judged, unused


def _used(
    results: Sequence[DocumentStep], inputs: Sequence[_Inputs], positions: Mapping[int, int]
) -> set[int]:
    used: set[int] = set()
    for inputs_by_agent in inputs:
        sought = []
        for at, step in enumerate(results):
            position = positions[id(step)]
            if at in used or inputs_by_agent.last < position:
                continue
            call_id = str(step.metadata.get("tool_call_id") or "")
            if call_id and inputs_by_agent.ids.get(call_id, -1) > position:
                used.add(at)
            else:
                sought.append(Sought(at, list(_forms(step.output)), position))
        used |= find_reached(sought, inputs_by_agent.texts)
    return used


def _read_inputs(agent: DocumentAgent, positions: Mapping[int, int]) -> _Inputs:
    ids: dict[str, int] = {}
    texts: dict[str, int] = {}
    is_captured, last = False, -1
    models = [step for step in agent.steps if step.type == "model"]
    for step in sorted(models, key=lambda step: positions[id(step)]):
        last = positions[id(step)]
        if not step.input or step.metadata.get(HISTORY) == OMITTED:
            continue
        is_captured = True
        for message in messages_in(step.input, "user"):
            if message["role"] == "tool" and isinstance(message.get("tool_call_id"), str):
                ids[message["tool_call_id"]] = last
            for text in _strings(message.get("content")):
                texts[text] = last
    for text in [text for text in texts if text.startswith(_JSON)]:
        texts.setdefault(canonical(text), texts[text])
    return _Inputs(ids, texts, is_captured, last)


def _forms(text: str) -> Iterator[str]:
    """Yield the forms in which a result may appear: whole, as canonical JSON, and its strings."""
    yield text
    if text.startswith(_JSON):
        notation = text if len(text) > _MAX_REPR else as_json(text)  # or Python's notation
        yield canonical(notation)
        inner = (part for part in _strings(json_value(notation)) if part != notation)
        for _, part in zip(range(_MAX_FORMS), inner, strict=False):
            if len(part) > 2:
                yield part


def _strings(value: Any) -> Iterator[str]:  # any JSON value, of bounded depth
    """Yield the strings in a value, without keys."""
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key != "type":
                yield from _strings(item)


UNUSED_RESULTS: Final = Rule(Most, _unused, ORDER | {Part.INPUTS, Part.OUTPUTS, Part.METADATA})
