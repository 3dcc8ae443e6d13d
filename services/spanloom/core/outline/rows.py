"""The rows of an outline: every stored span of a run, without its texts, in preorder."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableSequence, Sequence

    from spanloom.core.document import DocumentStep

    Json = Mapping[str, Any]

KINDS = tuple(map(str, Kind))
ERROR, NO_STEP, ORPHAN, MERGED, MOVED, REPEATED = 1, 4, 8, 16, 32, 64
"""Flags of a span's row: it failed; it is not a step; its parent was never stored; it is merged
into another step; its parent in the outline is not the parent that it reports; it repeats the
previous tool call below the same step, ignoring model calls in between."""

_NO_USAGE: Mapping[str, int] = MappingProxyType({})


class OutlineRow(NamedTuple):
    """One stored span; a step has the trajectory's values, any other span its own values."""

    id: str
    depth: int
    kind: str
    name: str
    agent: str
    """Name of the agent to which the span belongs; empty if there is none."""
    start_ms: int
    duration_ms: int
    input_tokens: int
    output_tokens: int
    flags: int
    step_id: str
    """Id of the step to which the span belongs; empty for framework noise."""
    first_token_ms: int = 0
    """Time to the first token of a model call; 0 if unknown."""


def place_rows(steps: Mapping[str, DocumentStep], spans: Sequence[Json]) -> list[OutlineRow]:
    """Return a row for each span of a run, in preorder.

    ``steps`` are the steps of the canonical document, keyed by id; ``spans`` are the classified
    spans of the same version, ordered by start.
    """
    own = {span["span_id"]: span.get("parent_span_id") or "" for span in spans}
    parents = _parents(spans, own, steps)
    order, depths = preorder([span["span_id"] for span in spans], parents)
    rows: list[OutlineRow] = []
    agents: list[str] = []
    call: _Call | None = None
    for at, depth in zip(order, depths, strict=True):
        span = spans[at]
        step_id = span["step_id"]
        step = steps.get(step_id) if step_id else None
        agent = step.agent_name if step else ""
        del agents[depth:]
        agents.append(agent or (agents[-1] if agents else ""))
        flags = _flags(span, own, parents[at], step)
        own_step = step if step_id == span["span_id"] else None
        if own_step is not None and span["kind"] != Kind.MODEL:
            call, before = _call(own_step, span["kind"]), call
            flags |= REPEATED if call is not None and call == before else 0
        rows.append(_row(span, own_step, depth, agents[-1], flags))
    return rows


_Call = tuple[str, str, str]
"""Parent, name and arguments of a tool call."""


def _call(step: DocumentStep, kind: str) -> _Call | None:
    return (step.parent_id, step.name, step.input) if kind == Kind.TOOL else None


def _parents(
    spans: Sequence[Json], own: Mapping[str, str], steps: Mapping[str, DocumentStep]
) -> list[str]:
    """Return the parent id of each span in the tree: its own parent, unless its step was moved."""
    nearest: dict[str, str] = {}
    parents = []
    for span in spans:
        span_id, parent_id = span["span_id"], own[span["span_id"]]
        step = steps.get(span_id)
        below = parent_id if step is None else step.parent_id
        if below in (parent_id, span_id):
            parents.append(parent_id)
        elif below in own:
            above = _step_above(span_id, own, steps, nearest)
            parents.append(parent_id if above == below else below)
        else:
            parents.append(parent_id)
    return parents


def _step_above(
    span_id: str, own: Mapping[str, str], steps: Mapping[str, DocumentStep], nearest: dict[str, str]
) -> str:
    """Return the nearest step above a span; ``nearest`` caches the result for spans on the way."""
    path: list[str] = []
    seen = {span_id}
    here = own[span_id]
    while here in own and here not in steps and here not in nearest and here not in seen:
        path.append(here)
        seen.add(here)
        here = own[here]
    found = here if here in steps else nearest.get(here, "")
    nearest.update(dict.fromkeys(path, found))
    return found


def _row(span: Json, step: DocumentStep | None, depth: int, agent: str, flags: int) -> OutlineRow:
    usage = _NO_USAGE if step is None else step.model_info
    return OutlineRow(  # positional, because keyword arguments take twice the time
        span["span_id"],
        depth,
        span["kind"],
        span["name"] if step is None else step.name or span["name"],
        agent,
        int(span["started_at"]),
        int(span["duration"]),
        usage.get("input_tokens", 0),
        usage.get("output_tokens", 0),
        flags,
        span["step_id"] or "",
        int(usage.get("latency_first_resp", 0)),
    )


def _flags(span: Json, own: Mapping[str, str], parent_id: str, step: DocumentStep | None) -> int:
    span_id, step_id = span["span_id"], span["step_id"]
    named = own[span_id]
    flags = MOVED if parent_id != named else 0
    if named and named not in own:
        flags |= ORPHAN
    if step_id is None:
        flags |= NO_STEP
    elif step_id != span_id:
        flags |= MERGED if step_id else 0
    elif step and step.error:
        flags |= ERROR
    return flags | ERROR if span.get("error") else flags


MAX_DEPTH = 65_535
"""The largest value that the column of depths can hold; deeper spans get this depth."""
_NOWHERE = -1
"""The parent of a root; as a list index it selects the last element."""


class Preorder(NamedTuple):
    """Spans by their index in the input, in preorder."""

    order: Sequence[int]
    depths: Sequence[int]
    """The depth of each span in ``order``; 0 for a root."""


def preorder(ids: Sequence[str], parents: Sequence[str]) -> Preorder:
    """Return every span once, parents before their children, siblings in input order.

    A span whose parent is missing is a root. In a cycle the first span becomes a root.
    """
    at = {span_id: place for place, span_id in enumerate(ids)}
    above = [at.get(parent_id, _NOWHERE) for parent_id in parents]
    _cut_cycles(above)
    first, following = [_NOWHERE] * (len(ids) + 1), [_NOWHERE] * len(ids)
    for place in range(len(ids) - 1, -1, -1):
        following[place] = first[above[place]]
        first[above[place]] = place
    return _walk(above, first, following)


def _walk(above: Sequence[int], first: Sequence[int], following: Sequence[int]) -> Preorder:
    """Traverse the tree by first children and next siblings, without recursion or a stack."""
    order: list[int] = []
    depths: list[int] = []
    place, depth = first[_NOWHERE], 0
    while place != _NOWHERE:
        order.append(place)
        depths.append(min(depth, MAX_DEPTH))
        if first[place] != _NOWHERE:
            place, depth = first[place], depth + 1
            continue
        while place != _NOWHERE and following[place] == _NOWHERE:
            place, depth = above[place], depth - 1
        if place != _NOWHERE:
            place = following[place]
    return Preorder(order, depths)


def _cut_cycles(above: MutableSequence[int]) -> None:
    """Make the first span of each cycle a root, in place; each span is visited once."""
    done = bytearray(len(above))
    for start in range(len(above)):
        path, place = [], start
        while place != _NOWHERE and not done[place]:
            done[place] = 1
            path.append(place)
            place = above[place]
        if path and place != _NOWHERE and done[place] == 1:
            above[min(path[path.index(place) :])] = _NOWHERE
        for passed in path:
            done[passed] = 2
