"""Computes the shape of a run (``RunShape``) from its document, as the store's SQL does."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.document import AGENT, Document
from spanloom.core.model.trajectory import Outcome
from spanloom.core.query.flat_steps import repeats_of
from spanloom.core.query.shapes import ITEM_KEY, RunShape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep

_OF_STEPS = frozenset({"agent", "model", "tool", "graph"})


class _Placed(NamedTuple):
    """A step in the order of the run: by start, and for equal starts the longest step first."""

    start: int
    minus_end: int
    place: int
    """The position in the document."""
    type: str
    name: str
    step: DocumentStep


def shape_of(json: Mapping[str, Any]) -> RunShape:  # a document
    """Return the shape of the run in a document."""
    document = Document(json)
    steps = sorted(_steps(document))
    extraction = document.extraction
    tools = [one.name for one in steps if one.type == "tool"]
    return RunShape(
        str(extraction.project),
        document.id,
        steps[0].start * 1_000_000 if steps else 0,
        str(extraction.conversation_id),
        str(extraction.metadata.get(ITEM_KEY) or ""),
        str(extraction.outcome or Outcome.OK),
        list(dict.fromkeys(tools)),
        _again(tools),
        list(dict.fromkeys(one.name for one in steps if one.type == AGENT)),
        list(dict.fromkeys(_handoffs(steps))),
        list(dict.fromkeys((a.type, a.name, b.type, b.name) for a, b in pairwise(steps))),
        list(dict.fromkeys(_failures(steps))),
        _numbers(document, steps),
    )


def _steps(document: Document) -> Iterator[_Placed]:
    """Yield every step once; the root only if it is a step."""
    root_id, root_type = document.root.id, document.root_type or AGENT
    seen: set[str] = set()
    for agent in document.agents:
        kind = root_type if agent.id == root_id else AGENT
        for type_, step in ((kind, agent), *((one.type, one) for one in agent.steps)):
            if type_ in _OF_STEPS and step.id not in seen:
                start, end = step.times
                yield _Placed(start, -end, len(seen), type_, step.name, step)
                seen.add(step.id)


def _again(tools: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    again: dict[str, None] = {}
    for name in tools:
        if name in seen:
            again[name] = None
        seen.add(name)
    return list(again)


def _handoffs(steps: Sequence[_Placed]) -> Iterator[tuple[str, str]]:
    agents = {one.step.id: one.name for one in steps if one.type == AGENT}
    for one in steps:
        above = agents.get(one.step.parent_id) if one.type == AGENT else None
        if above:
            yield above, one.name


def _failures(steps: Iterable[_Placed]) -> Iterator[tuple[str, str, int]]:
    for one in steps:
        if one.step.error:
            yield one.type, one.name, one.step.error_code


def _numbers(document: Document, steps: Sequence[_Placed]) -> Mapping[str, float | None]:
    root, extraction = document.root, document.extraction
    metrics = root.metrics
    types = [one.type for one in steps]
    repeats = repeats_of([(one.name, one.step.input) for one in steps if one.type == "tool"])
    return {
        "steps": len(types),
        "model_steps": types.count("model"),
        "tool_steps": types.count("tool"),
        "agent_steps": types.count(AGENT),
        "failures": extraction.failures,
        "longest_repeat": repeats.longest,
        "most_repeats": repeats.most,
        "duration": root.duration,
        "model_time": metrics.llm_duration,
        "tool_time": metrics.tool_duration,
        "first_token": extraction.time_to_first_token_ms,
        "input_tokens": metrics.input_tokens,
        "output_tokens": metrics.output_tokens,
        "cost": extraction.cost_usd,
    }
