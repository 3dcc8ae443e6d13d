"""Writes a trajectory in the form that Coze Loop's published builder makes.

Spans are classified and merged as in the canonical document, with these differences:

- graphs are agents: they are listed among ``agent_steps``, with their own steps;
- the root comes first among ``agent_steps``, even without steps; other agents follow, newest first;
- of several roots the latest counts; without a root, ``root_step`` is null;
- steps below a missing parent are left out, unless they are agents;
- a failure that only the span's status reports is ignored;
- empty maps and zero tokens and durations are left out, rates are written; tokens have 32 bits.

The builder orders steps with equal starts at random; here they are ordered as in the document. If
the root is a model or tool call, it is listed among its own steps; the published code does not
define this case.

If a document comes without classified spans (from a converted file), its steps are used instead.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import orjson

from spanloom.core.document import DocumentStep
from spanloom.core.exchange.coze.example import hides_root_type
from spanloom.core.exchange.coze.figures import cost_of, measure, usage_of, without_zeros, wraps
from spanloom.core.exchange.coze.order import positions
from spanloom.core.exchange.kept import Kept, count_lost
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.json_bytes import Json, dump
from spanloom.core.formats.losses import Code
from spanloom.core.model.step import REPORTED_BY_STATUS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import Document
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

_KEPT = Kept()
"""The builder's form preserves all members of steps, and none that only ``extraction`` has."""
MAX_HOPS = 1_000
MADE_ROOT = "coze.root"
"""Key in ``extraction.metadata`` if a root was added around the agents of a source without one."""
_AGENTS = frozenset({"agent", "graph"})
_CALLS = frozenset({"model", "tool"})
_LATENCY = "latency_first_resp"
_SHOWN = ("name", "input", "output", "metadata")


def encode_coze(stored: Stored, losses: Losses) -> bytes:
    """Return the trajectory in the builder's form, from canonical document and classified spans."""
    view = stored.view
    steps = {step.id: step for step in (view.root, *view.agents, *view.steps)}
    spans = orjson.loads(stored.spans)
    verdicts = _as_listed(spans, view) if spans else _verdicts(view)
    built = _Builder(view.id, steps, verdicts).build()
    _note(view, steps.values(), built, losses)
    return dump(built)


def _as_listed(spans: Sequence[Json], view: Document) -> Sequence[Json]:
    """Order spans that start in the same millisecond as in the document.

    Imported runs have times in milliseconds only. If any of the spans with equal starts is not a
    step, their order is not changed.
    """
    if len(set(map(_STARTED_AT, spans))) == len(spans):
        return spans
    groups = [list(group) for _, group in groupby(spans, _STARTED_AT)]
    keys = _places(view)
    for group in groups:
        if len(group) > 1 and all(one["span_id"] in keys for one in group):
            group.sort(key=lambda one: keys[one["span_id"]])
    return list(chain.from_iterable(groups))


_STARTED_AT = itemgetter("started_at")


def _places(view: Document) -> Mapping[str, tuple[int, int, int]]:
    return positions([(agent.id, [step.id for step in agent.steps]) for agent in view.agents])


def _verdicts(view: Document) -> Sequence[Json]:
    """Make a classified span for each step, and for a root that is not a step."""
    keys = _places(view)
    root, steps = view.root, view.by_id()
    is_made = MADE_ROOT in view.extraction.metadata
    shown = [step for i, step in steps.items() if i and (i != root.id or not is_made)]
    shown.sort(key=lambda step: (step.started_at, keys.get(step.id, (-1, 0, 0))))
    return [_verdict(step, root) for step in shown]


def _verdict(step: DocumentStep, root: DocumentStep) -> Json:
    is_root = step.id == root.id
    kind = root.type if is_root else step.type
    return {
        "span_id": step.id,
        "parent_span_id": None if is_root else step.parent_id or root.id,
        "name": step.name,
        "kind": kind,
        "step_id": None if kind not in _AGENTS | _CALLS else step.id,
        "started_at": str(step.started_at),
        "duration": str(step.duration),
    }


def _note(view: Document, steps: Iterable[DocumentStep], built: Json, losses: Losses) -> None:
    """Count facts in the document that the builder's form omits or shows differently."""
    count_lost(view, _KEPT, losses)
    if view.root_type == "graph":
        losses.note(Code.GRAPH_FLATTENED, view.root.id)
    elif hides_root_type(view, _types_below(built, view.root.id)):
        losses.note(Code.METADATA_DROPPED, view.root.id)
    kept = {step["id"] for agent in built["agent_steps"] for step in (agent, *agent["steps"])}
    kept.add(view.root.id)
    for step in steps:
        if step.id not in kept:
            losses.note(Code.TEXTS_DROPPED, step.id)
        elif step.type == "graph" and step.id != view.root.id:
            losses.note(Code.GRAPH_FLATTENED, step.id)
        if _is_by_status(step):
            losses.note(Code.METADATA_DROPPED, step.id)
        if info := step.model_info:
            losses.note(Code.TIMES_DROPPED, step.id, info.get(_LATENCY) == "0")
            if wraps(info):
                losses.note(Code.VALUE_TRUNCATED, step.id)


def _is_by_status(step: DocumentStep) -> bool:
    """Return whether only the span's status reports the failure of a step."""
    return step.error is not None and step.metadata.get("error_told_by") == REPORTED_BY_STATUS


def _types_below(built: Json, root_id: str) -> Iterator[str]:
    """Yield the types of the root's own steps as written; graphs are written as agents."""
    for agent in built["agent_steps"]:
        if agent["id"] == root_id:
            yield from (step["type"] for step in agent["steps"])


class _Builder:
    """Builds the trajectory of one trace in the builder's form."""

    def __init__(
        self, trace_id: str, steps: Mapping[str, DocumentStep], spans: Sequence[Json]
    ) -> None:
        self._id, self._steps = trace_id, steps
        self._spans = {span["span_id"]: span for span in spans}
        self._types = {
            i: span["kind"]
            for i, span in self._spans.items()
            if span["step_id"] == i
            and i in steps  # the document and the spans may differ in version
        }
        roots = [i for i, span in self._spans.items() if span["parent_span_id"] is None]
        self._root = roots[-1] if roots else ""
        self._parents = {i: self._nearest(i) for i in self._types}

    def build(self) -> Json:
        """Return the trajectory: the root, then every agent with its steps."""
        owned = self._owned()
        agents = [i for i, kind in self._types.items() if kind in _AGENTS and i != self._root]
        listed = [self._agent_step(i, _content(self._steps[i]), owned[i]) for i in reversed(agents)]
        if not self._root:
            return {"id": self._id, "root_step": None, "agent_steps": listed}
        own = owned[self._root]
        content = self._with_cost(_content(self._root_view()), own)
        root = self._agent_step(self._root, content, own)
        every = _by_start([root, *reversed(listed)])
        totals = root["metrics_info"] if len(own) == len(every) else measure(every)
        return {
            "id": self._id,
            "root_step": {"id": self._root, **content, "metrics_info": totals},
            "agent_steps": [root, *listed],
        }

    def _nearest(self, span_id: str) -> str | None:
        """Return the nearest step or root above a span; ``None`` if an ancestor is missing."""
        above = self._spans[span_id]["parent_span_id"]
        for _ in range(MAX_HOPS):
            span = self._spans.get(above)
            if span is None:
                return None
            if span["step_id"] not in (None, span_id):
                return str(span["step_id"])
            if above == self._root:
                return self._root
            above = span["parent_span_id"]
        return None

    def _owned(self) -> Mapping[str, Sequence[Json]]:
        owned: defaultdict[str, list[Json]] = defaultdict(list)
        for step_id, kind in self._types.items():
            if step_id == self._root:
                owner = step_id if kind in _CALLS else None
            else:
                owner = self._owner(step_id)
            if owner is not None:
                owned[owner].append(self._step(step_id, kind))
        return owned

    def _owner(self, step_id: str) -> str | None:
        above = self._parents[step_id]
        for _ in range(MAX_HOPS):
            if above is None or above == self._root or self._types.get(above) in _AGENTS:
                return above
            above = self._parents.get(above)
        return None

    def _step(self, step_id: str, kind: str) -> Json:
        view = self._steps[step_id]
        step = {**self._placed(step_id), "type": "agent" if kind in _AGENTS else kind}
        step |= _content(view)
        if info := view.model_info:
            step["model_info"] = usage_of(info)
        return step

    def _agent_step(self, step_id: str, content: Json, steps: Sequence[Json]) -> Json:
        return {**self._placed(step_id), **content, "metrics_info": measure(steps), "steps": steps}

    def _with_cost(self, root: Json, steps: Sequence[Json]) -> Json:
        """Return the root with the total cost of the steps that are listed below it."""
        if self._types.get(self._root) in _CALLS:
            return root
        metadata = {k: v for k, v in root.get("metadata", {}).items() if k != COST}
        if cost := cost_of(steps):
            metadata[COST] = cost
        if metadata:
            return {**root, "metadata": dict(sorted(metadata.items()))}
        return {k: v for k, v in root.items() if k != "metadata"}

    def _placed(self, step_id: str) -> Json:
        return {"id": step_id, "parent_id": self._parents.get(step_id) or ""}

    def _root_view(self) -> DocumentStep:
        """Return the root's step; if it is not a step, make one with only its name and times."""
        span = self._spans[self._root]
        times = {"started_at": span["started_at"], "duration": span["duration"]}
        named = {"name": span["name"], "basic_info": times}
        return self._steps.get(self._root) or DocumentStep(named, "")


def _by_start(agents: Iterable[Json]) -> Sequence[Json]:
    """Return the steps of all agents sorted by start; those with equal starts stay as listed.

    Therefore a trajectory that is read and written again has the same order.
    """
    steps = chain.from_iterable(agent["steps"] for agent in agents)
    return sorted(steps, key=lambda step: int(step["basic_info"].get("started_at", 0)))


def _content(step: DocumentStep) -> Json:
    shown = {key: text for key in _SHOWN if (text := step.json.get(key))}
    shown["basic_info"] = info = without_zeros(step.basic_info)
    if _is_by_status(step):
        del info["error"]
    return shown
