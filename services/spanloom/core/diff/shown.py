"""Writes a diff as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.diff.inputs import pair_up
from spanloom.core.diff.message_text import common_prefix_length
from spanloom.core.document import Document
from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.diff.diff import Diff, Row
    from spanloom.core.diff.steps import DiffStep, Json

MAX_CHARS = 400
"""Maximum characters of a differing text, unless whole texts are requested."""
CONTEXT_CHARS = 100
"""Characters shown before the first difference of two texts that are cut."""


def show_diff(a: Json, b: Json, diff: Diff, *, texts: bool = False, every: bool = False) -> Json:
    """Return the diff of two documents as JSON.

    Equal steps are left out unless ``every`` is set; differing texts are cut to 400 characters
    around their first difference unless ``texts`` is set.
    """
    rows = [row for row in diff.rows if every or row.op != "same"]
    first = next((row for row in diff.rows if row.op != "same"), None)
    return {
        "a": _named(a),
        "b": _named(b),
        "same": diff.is_same,
        "summary": {
            **diff.counts,
            "metrics": _metrics(a, b),
            "first_difference": None if first is None else _position(first),
        },
        "steps": [_row(row, texts=texts) for row in rows],
        "omitted": {"texts": not texts, "same": not every},
    }


def _named(document: Json) -> Json:
    view = Document(document)
    extraction, root = view.extraction, view.root
    return {
        "trace_id": view.id,
        "project": extraction.project,
        "version": extraction.version,
        "status": extraction.status_text,
        "outcome": extraction.outcome,
        "name": root.name,
        "started_at": root.basic_info["started_at"],
    }


def _metrics(a: Json, b: Json) -> Json:
    """Return the metrics of both runs; times in ms, ``cost`` in US dollars."""
    ours, theirs = _measured(a), _measured(b)
    return {name: [ours[name], theirs[name]] for name in ours}


def _measured(document: Json) -> Json:
    view = Document(document)
    root, extraction = view.root, view.extraction
    metrics, counts = root.metrics, extraction.step_counts
    return {
        "duration": root.duration,
        "model_time": metrics.llm_duration,
        "tool_time": metrics.tool_duration,
        "input_tokens": metrics.input_tokens,
        "output_tokens": metrics.output_tokens,
        "cost": extraction.cost_usd,
        **{f"{kind}_steps": counts.get(kind, 0) for kind in StepType},
        "errors": extraction.failures,
    }


def _position(row: Row) -> int | None:
    """Return a step's position in the second run; in the first run if only that has the step."""
    step = row.b or row.a
    return None if step is None else step.position


def _row(row: Row, *, texts: bool) -> Json:
    step = row.b or row.a
    shown: Json = {"op": row.op, **_side("a", row.a), **_side("b", row.b)}
    if step is not None:
        shown |= {"type": step.type, "name": step.name}
    if row.changes:
        shown["changes"] = [
            {
                "field": c.field,
                "a": c.a if texts else _cut(c.a, c.b),
                "b": c.b if texts else _cut(c.b, c.a),
            }
            for c in row.changes
        ]
    return shown


def _side(side: str, step: DiffStep | None) -> Json:
    return {} if step is None else {side: step.position, f"{side}_id": step.id}


def _cut(value: object, other: object) -> object:
    """Return a value with the texts in it cut around their differences to the other value."""
    if isinstance(value, str):
        return _cut_text(value, other)
    if isinstance(value, dict):
        known = other if isinstance(other, dict) else {}
        return {key: _cut(inner, known.get(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return _each(value, other if isinstance(other, list) else [])
    return value


def _each(values: Sequence[object], others: Sequence[object]) -> list[object]:
    counterparts: dict[int, object] = {
        i: others[j]
        for i, j in pair_up([*map(repr, values)], [*map(repr, others)])
        if i is not None and j is not None
    }
    return [_cut(value, counterparts.get(place)) for place, value in enumerate(values)]


def _cut_text(text: str, other: object) -> str:
    if len(text) <= MAX_CHARS:
        return text
    same = common_prefix_length(text, other) if isinstance(other, str) and other != text else 0
    start = max(0, same - CONTEXT_CHARS) if same >= MAX_CHARS - CONTEXT_CHARS else 0
    end = start + MAX_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
