"""Counts what a run did: its features and its numbers, of its document alone.

The JSON of a document is read without views: of ten thousand runs a side this is what costs.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.document import AGENT, AGENTS, ROOT, whole
from spanloom.core.model.trajectory import NO_CODE
from spanloom.core.query.flat_steps import repeats_of
from spanloom.evaluation.comparison.features import MAX_NAME, Feature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Json = Mapping[str, Any]  # a JSON object

_OF_STEPS = frozenset({"agent", "model", "tool", "graph"})


class Observed(NamedTuple):
    """What is compared of a run."""

    cluster: str
    """Runs of one are drawn together: a conversation, or repeats of an item; else it is alone."""
    features: frozenset[Feature]
    numbers: Mapping[str, float]
    """By the names of ``NUMBERS``; those that are unknown are not in it."""


class _Step(NamedTuple):
    """A step in the order of the run: by start, of equal starts the longest first."""

    start: int
    minus_end: int
    place: int
    """In the document."""
    type: str
    json: Json


def observe(document: Json) -> Observed:
    """Return what a run did."""
    steps = sorted(_steps(document))
    told: Json = document.get("extraction") or {}
    features = {
        Feature("outcome", (str(told.get("outcome") or "ok"),)),
        *_of_names(steps),
        *_transitions(steps),
        *_failures(steps),
    }
    return Observed(_cluster(document, told), frozenset(features), _numbers(document, told, steps))


def _steps(document: Json) -> Iterator[_Step]:
    """Yield every step once; a root that is no step is none."""
    root_id = (document.get(ROOT) or {}).get("id")
    root_type = (document.get("extraction") or {}).get("root_type") or AGENT
    met: set[str] = set()
    place = 0
    for agent in document.get(AGENTS) or ():
        type_ = root_type if agent.get("id") == root_id else AGENT
        for kind, json in ((type_, agent), *((one["type"], one) for one in agent["steps"])):
            if kind in _OF_STEPS and (id_ := json.get("id") or "") not in met:
                met.add(id_)
                start, took = _times(json)
                yield _Step(start, -start - took, place, kind, json)
                place += 1


def _times(json: Json) -> tuple[int, int]:
    info = json.get("basic_info") or {}
    return whole(info.get("started_at")), whole(info.get("duration"))


def _of_names(steps: Sequence[_Step]) -> Iterator[Feature]:
    """Yield the tools and agents that ran, and the agents that handed over."""
    tools: dict[str, int] = {}
    agents: dict[str, str] = {}
    for step in steps:
        name = step.json["name"]
        if step.type == "tool" and _is_short(name):
            tools[name] = tools.get(name, 0) + 1
        elif step.type == AGENT and _is_short(name):
            agents[step.json["id"]] = name
            yield Feature("agent", (name,))
    for name, count in tools.items():
        yield Feature("tool", (name,))
        if count > 1:
            yield Feature("tool_again", (name,))
    for step in steps:
        above = agents.get(step.json.get("parent_id") or "") if step.type == AGENT else None
        if above and _is_short(step.json["name"]):
            yield Feature("handoff", (above, step.json["name"]))


def _transitions(steps: Sequence[_Step]) -> Iterator[Feature]:
    named = [
        f"{step.type} {step.json['name']}" if _is_short(step.json["name"]) else None
        for step in steps
    ]
    for first, second in set(pairwise(named)):
        if first is not None and second is not None:
            yield Feature("transition", (first, second))


def _failures(steps: Iterable[_Step]) -> Iterator[Feature]:
    for step in steps:
        error = (step.json.get("basic_info") or {}).get("error")
        if error and _is_short(name := step.json["name"]):
            code = whole(error.get("code"), NO_CODE)
            told = "" if code in (0, NO_CODE) else str(code)
            yield Feature("failure", (step.type, name, told))


def _is_short(name: str) -> bool:
    return len(name) <= MAX_NAME


def _cluster(document: Json, told: Json) -> str:
    item = (told.get("metadata") or {}).get("item_key")
    if item:
        return f"item {item}"
    conversation = told.get("conversation_id")
    return f"conversation {conversation}" if conversation else f"run {document.get('id')}"


def _numbers(document: Json, told: Json, steps: Sequence[_Step]) -> Mapping[str, float]:
    root = document.get(ROOT) or {}
    metrics: Json = root.get("metrics_info") or {}
    types = [step.type for step in steps]
    repeats = repeats_of(
        [(one.json["name"], one.json["input"]) for one in steps if one.type == "tool"]
    )
    numbers: dict[str, float | None] = {
        "steps": len(types),
        "model_steps": types.count("model"),
        "tool_steps": types.count("tool"),
        "agent_steps": types.count(AGENT),
        "failures": whole(told.get("failures")),
        "longest_repeat": repeats.longest,
        "most_repeats": repeats.most,
        "duration": _times(root)[1],
        "model_time": whole(metrics.get("llm_duration")),
        "tool_time": whole(metrics.get("tool_duration")),
        "first_token": told.get("time_to_first_token_ms"),
        "input_tokens": whole(metrics.get("input_tokens")),
        "output_tokens": whole(metrics.get("output_tokens")),
        "cost": (told.get("cost") or {}).get("usd"),
    }
    return {name: float(value) for name, value in numbers.items() if value is not None}
