"""The rows of an outline: what is told of every stored span of a run without its texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.outline.steps import places
from spanloom.core.outline.tree import preorder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.outline.steps import Place

    Json = Mapping[str, Any]

KINDS = ("agent", "model", "tool", "graph", "other")
ERROR, PLUMBING, ORPHAN, MERGED, MOVED = 1, 4, 8, 16, 32
"""Flags of a row: it failed; it is no step; the parent that its span names was never stored; it
counts under another step; it stands below another step than its span says."""


class OutlineRow(NamedTuple):
    """One stored span; a step as the trajectory tells it, any other as it was reported."""

    id: str
    depth: int
    kind: str
    name: str
    """Of the step, which may be better than that of its span."""
    agent: str
    """The agent to which it belongs; empty where there is none."""
    start_ms: int
    duration_ms: int
    input_tokens: int
    output_tokens: int
    flags: int
    step_id: str
    """The step under which it counts; empty for plumbing."""


def outline_rows(document: Json, spans: Sequence[Json]) -> list[OutlineRow]:
    """Return a row for each span of a run, in preorder.

    ``document`` is the canonical one, ``spans`` what became of each span in the same version, in
    the order of their starts.
    """
    steps = places(document)
    own = {span["span_id"]: span.get("parent_span_id") or "" for span in spans}
    parents = _parents(spans, own, steps)
    rows: list[OutlineRow] = []
    above: list[str] = []
    for at, depth in preorder([span["span_id"] for span in spans], parents):
        del above[depth:]
        row = _row(spans[at], depth, above[-1] if above else "", own, parents[at], steps)
        rows.append(row)
        above.append(row.agent)
    return rows


def _parents(
    spans: Sequence[Json], own: Mapping[str, str], steps: Mapping[str, Place]
) -> list[str]:
    """Return below what each span stands: its own parent, unless its step was moved elsewhere."""
    nearest: dict[str, str] = {}
    parents = []
    for span in spans:
        span_id, parent_id = span["span_id"], own[span["span_id"]]
        place = steps.get(span_id)
        if place is not None and place.parent_id in own and place.parent_id != span_id:
            above = _step_above(span_id, own, steps, nearest)
            parents.append(parent_id if above == place.parent_id else place.parent_id)
        else:
            parents.append(parent_id)
    return parents


def _step_above(
    span_id: str, own: Mapping[str, str], steps: Mapping[str, Place], nearest: dict[str, str]
) -> str:
    """Return the nearest step above a span by its own parents; each span is walked over once."""
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


def _row(
    span: Json,
    depth: int,
    agent: str,
    own: Mapping[str, str],
    parent_id: str,
    steps: Mapping[str, Place],
) -> OutlineRow:
    span_id, step_id = span["span_id"], span["step_id"] or ""
    place = steps.get(step_id)
    flags = _flags(span, own, parent_id, place)
    step: Json = place.step if place is not None and step_id == span_id else {}
    usage = step.get("model_info", {})
    return OutlineRow(
        span_id,
        depth,
        span["kind"],
        step.get("name") or span["name"],
        (place.agent if place is not None else "") or agent,
        int(span["started_at"]),
        int(span["duration"]),
        usage.get("input_tokens", 0),
        usage.get("output_tokens", 0),
        flags,
        step_id,
    )


def _flags(span: Json, own: Mapping[str, str], parent_id: str, place: Place | None) -> int:
    span_id, told = span["span_id"], own[span["span_id"]]
    is_own = span["step_id"] == span_id
    failed = span.get("error") or (is_own and place and place.step["basic_info"].get("error"))
    flags = ERROR if failed else 0
    flags |= MOVED if parent_id != told else 0
    flags |= PLUMBING if span["step_id"] is None else 0
    flags |= ORPHAN if told and told not in own else 0
    return flags | (MERGED if span["step_id"] and not is_own else 0)
