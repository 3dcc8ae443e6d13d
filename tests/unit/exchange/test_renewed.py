"""Giving a run new ids yields a copy that can be restored, with the same new ids every time."""

from __future__ import annotations

import copy

from tests.support.drafted import planner

from spanloom.client.transfer.documents import read_run
from spanloom.core.document import Document
from spanloom.core.exchange.renewed import renewed


def test_only_ids_change_and_the_copy_can_be_restored() -> None:
    run = planner()
    before = copy.deepcopy(run)
    made = renewed(run)
    assert run == before
    assert renewed(before) == made
    read_run(made, None)
    old, new = Document(run), Document(made)
    assert old.id != new.id
    assert len(new.id) == 32
    assert not old.by_id().keys() & new.by_id().keys()
    steps = list(zip(old.by_id().values(), new.by_id().values(), strict=True))
    assert all(a.json["input"] == b.json["input"] and a.metadata == b.metadata for a, b in steps)
    errors = made["root_step"]["metrics_info"]["tool_errors"]["503"]
    assert set(errors) <= new.by_id().keys()
    assert made["extraction"]["errors"][0]["step_id"] in new.by_id()
