"""An outline has every span once, whatever parents spans have, and survives a round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.read_outline import decode_outline

from spanloom.core.document import Document
from spanloom.core.outline.columns import encode_outline
from spanloom.core.outline.rows import KINDS, NO_STEP, ORPHAN, place_rows, preorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn

IDS = st.integers(1, 30).map("{:016x}".format)


@st.composite
def runs(draw: DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw a document and spans; a parent may be present, absent, the span itself or in a cycle."""
    ids = draw(st.lists(IDS, unique=True, max_size=30))
    spans = [
        {
            "span_id": span_id,
            "parent_span_id": draw(st.none() | IDS),
            "name": draw(st.text(max_size=5)),
            "kind": draw(st.sampled_from(KINDS)),
            "step_id": draw(st.none() | st.just(span_id) | IDS),
            "started_at": str(draw(st.integers(0, 2**43))),
            "duration": str(draw(st.integers(0, 2**43))),
            "error": draw(st.none() | st.just("failed")),
        }
        for span_id in ids
    ]
    owned = [
        {
            "id": span["span_id"],
            "parent_id": draw(IDS),
            "name": "step",
            "basic_info": {},
            "model_info": {"input_tokens": draw(st.integers(0, 2**33)), "output_tokens": 1},
        }
        for span in spans
        if span["step_id"] == span["span_id"]
    ]
    agent = {"id": "a", "parent_id": "", "name": "agent", "basic_info": {}, "steps": owned}
    return {"agent_steps": [agent], "root_step": {"id": "a", "basic_info": {}}}, spans


@given(runs())
def test_every_span_is_a_row_and_comes_back(
    run: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    document, spans = run
    rows = place_rows(Document(document).by_id(), spans)
    assert sorted(row.id for row in rows) == sorted(span["span_id"] for span in spans)
    read = decode_outline(encode_outline(rows, 7))
    assert (read.header["n"], read.header["version"]) == (len(rows), 7)
    assert read.ids == [row.id for row in rows]
    assert read.words("name") == [row.name for row in rows]
    assert read.words("agent") == [row.agent for row in rows]
    assert read.words("kind") == [row.kind for row in rows]
    assert read.columns["depth"] == [row.depth for row in rows]
    assert read.columns["flags"] == [row.flags for row in rows]
    assert read.columns["tin"] == [min(row.input_tokens, 2**32 - 1) for row in rows]
    unit, origin = read.header["unit_ns"] // 10**6, int(read.header["origin_ns"]) // 10**6
    assert read.columns["start"] == [(row.start_ms - origin) // unit for row in rows]
    assert read.columns["dur"] == [row.duration_ms // unit for row in rows]
    told = {span["span_id"]: span for span in spans}
    for row in rows:
        span = told[row.id]
        assert bool(row.flags & NO_STEP) == (span["step_id"] is None)
        assert bool(row.flags & ORPHAN) == bool(
            span["parent_span_id"] and span["parent_span_id"] not in told
        )


@given(st.lists(IDS, unique=True), st.data())
def test_parents_come_first_and_one_level_higher(ids: Sequence[str], data: st.DataObject) -> None:
    parents = [data.draw(st.just("") | IDS) for _ in ids]
    order, depths = preorder(ids, parents)
    assert sorted(order) == list(range(len(ids)))
    above: list[int] = []
    for at, depth in zip(order, depths, strict=True):
        assert depth <= len(above)
        del above[depth:]
        if above:
            assert parents[at] == ids[above[-1]]
        above.append(at)
    for at, depth in zip(order, depths, strict=True):
        if depth == 0 and parents[at] in ids:
            assert _turns_in_a_circle(at, ids, parents)


def _turns_in_a_circle(at: int, ids: Sequence[str], parents: Sequence[str]) -> bool:
    """Return whether a span is an ancestor of itself."""
    above = dict(zip(ids, parents, strict=True))
    here = parents[at]
    for _ in ids:
        if here == ids[at]:
            return True
        here = above.get(here, "")
    return False
