"""A row of the outline has the name of its step, whatever the span's name."""

from __future__ import annotations

from tests.support.extracting import World
from tests.support.ground_truth import Capture

from spanloom.core.outline.view import read_run


def test_a_row_has_the_name_of_its_step() -> None:
    world = World()
    for body in Capture("otel-genai", "react_tools").requests():
        world.send_message(body)
    world.step(100)
    world.step(100)
    [record] = world.store.state.records.values()  # type: ignore[attr-defined]  # of the memory store
    run = read_run(record.document, record.spans_document)
    own = [row for row in run.view.rows if row.step_id == row.id]
    assert {row.id: row.name for row in own} == {row.id: run.steps[row.id].name for row in own}
