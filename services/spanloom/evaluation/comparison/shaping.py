"""The shape of a run from its document alone, as the store has it of its list.

The JSON of a document is read without views: of ten thousand runs a side this is what costs.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.document import AGENT, AGENTS, ROOT, whole
from spanloom.core.model.trajectory import NO_CODE
from spanloom.core.query.flat_steps import repeats_of
from spanloom.core.query.shapes import ITEM_KEY, RunShape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Json = Mapping[str, Any]  # a JSON object

_OF_STEPS = frozenset({"agent", "model", "tool", "graph"})


class _Step(NamedTuple):
    """A step in the order of the run: by start, of equal starts the longest first."""

    start: int
    minus_end: int
    place: int
    """In the document."""
    type: str
    json: Json

    @property
    def name(self) -> str:
        return self.json.get("name") or ""


def shape_of(document: Json) -> RunShape:
    """Return the shape of a run."""
    steps = sorted(_steps(document))
    told: Json = document.get("extraction") or {}
    tools = [step.name for step in steps if step.type == "tool"]
    return RunShape(
        str(told.get("project") or ""),
        str(document.get("id") or ""),
        steps[0].start * 1_000_000 if steps else 0,
        str(told.get("conversation_id") or ""),
        str((told.get("metadata") or {}).get(ITEM_KEY) or ""),
        str(told.get("outcome") or "ok"),
        list(dict.fromkeys(tools)),
        _again(tools),
        list(dict.fromkeys(step.name for step in steps if step.type == AGENT)),
        list(dict.fromkeys(_handoffs(steps))),
        list(dict.fromkeys((a.type, a.name, b.type, b.name) for a, b in pairwise(steps))),
        list(dict.fromkeys(_failures(steps))),
        _numbers(document, told, steps),
    )


def _steps(document: Json) -> Iterator[_Step]:
    """Yield every step once; a root that is no step is none."""
    root_id = (document.get(ROOT) or {}).get("id")
    root_type = (document.get("extraction") or {}).get("root_type") or AGENT
    met: set[str] = set()
    for agent in document.get(AGENTS) or ():
        type_ = root_type if agent.get("id") == root_id else AGENT
        owned = ((one.get("type"), one) for one in agent.get("steps") or ())
        for kind, json in ((type_, agent), *owned):
            if kind in _OF_STEPS and (id_ := json.get("id") or "") not in met:
                start, took = _times(json)
                yield _Step(start, -start - took, len(met), kind, json)
                met.add(id_)


def _times(json: Json) -> tuple[int, int]:
    info = json.get("basic_info") or {}
    return whole(info.get("started_at")), whole(info.get("duration"))


def _again(tools: Iterable[str]) -> list[str]:
    met: set[str] = set()
    again: dict[str, None] = {}
    for name in tools:
        if name in met:
            again[name] = None
        met.add(name)
    return list(again)


def _handoffs(steps: Sequence[_Step]) -> Iterator[tuple[str, str]]:
    agents = {step.json.get("id"): step.name for step in steps if step.type == AGENT}
    for step in steps:
        above = agents.get(step.json.get("parent_id")) if step.type == AGENT else None
        if above:
            yield above, step.name


def _failures(steps: Iterable[_Step]) -> Iterator[tuple[str, str, int]]:
    for step in steps:
        if error := (step.json.get("basic_info") or {}).get("error"):
            yield step.type, step.name, whole(error.get("code"), NO_CODE)


def _numbers(document: Json, told: Json, steps: Sequence[_Step]) -> Mapping[str, float | None]:
    root = document.get(ROOT) or {}
    metrics: Json = root.get("metrics_info") or {}
    types = [step.type for step in steps]
    repeats = repeats_of([(s.name, s.json.get("input")) for s in steps if s.type == "tool"])
    return {
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
