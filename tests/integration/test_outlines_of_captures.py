"""Every captured run has an outline with exactly the spans that are stored."""

from __future__ import annotations

import pytest
from tests.support.each_capture import each_capture
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Capture, all_captures
from tests.support.read_outline import decode_outline

from spanloom.core.annotation.anchors import anchors_of
from spanloom.core.document import Document
from spanloom.core.outline.columns import encode_outline
from spanloom.core.outline.rows import ERROR, MERGED, MOVED, NO_STEP, place_rows

pytestmark = pytest.mark.nightly


@each_capture(all_captures())
def test_a_row_for_every_stored_span_at_the_place_of_its_step(capture: Capture) -> None:
    for answer in extract_capture(capture):
        rows = place_rows(Document(answer.document).by_id(), answer.spans)
        read = decode_outline(encode_outline(rows, 1))
        told = {span["span_id"]: span for span in answer.spans}
        assert sorted(read.ids) == sorted(told)
        steps = Document(answer.document).by_id()
        root_id = answer.document["root_step"]["id"]
        made = "" if root_id in told else root_id
        above: list[str] = []
        for row in rows:
            del above[row.depth :]
            span = told[row.id]
            assert bool(row.flags & NO_STEP) == (span["step_id"] is None)
            assert bool(row.flags & MERGED) == (span["step_id"] not in (None, row.id))
            if row.step_id == row.id:
                nearest = [i for i in above if i in steps]
                assert (nearest[-1] if nearest else made) == steps[row.id].parent_id
                assert row.flags & ERROR or steps[row.id].error is None
            if above and not row.flags & MOVED:
                assert above[-1] == span["parent_span_id"]
            above.append(row.id)


@each_capture(all_captures())
def test_rows_tell_which_steps_are_to_be_judged(capture: Capture) -> None:
    """The test applies the rule of the page (annotate/steps.js), which has only the outline."""
    for answer in extract_capture(capture):
        rows = place_rows(Document(answer.document).by_id(), answer.spans)
        found = {
            row.id
            for row in rows
            if not row.flags & (NO_STEP | MERGED)
            and (row.kind in ("model", "tool") or (row.kind == "graph" and row.depth > 0))
        }
        assert found == anchors_of(answer.document).to_judge
