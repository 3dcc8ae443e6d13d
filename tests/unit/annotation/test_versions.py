"""Versions that were annotated: their steps stay readable and comparable with the newest."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from tests.support.annotated_runs import store_run, tool_step
from tests.unit.annotation.conftest import KEY

if TYPE_CHECKING:
    from tests.unit.annotation.conftest import Desk

RUN = f"/v1/trajectories/{KEY.trace_id}"


@pytest.fixture
def changed(desk: Desk) -> Desk:
    """Keep version 1 of the run, and store a version 2 whose second step has another text."""
    desk.ask("PUT", f"{RUN}/versions/1")
    store_run(desk.store, KEY, [tool_step(2), tool_step(3, "other"), tool_step(4)], 2)
    return desk


@pytest.mark.parametrize(("version", "said"), [(1, "answer 3"), (2, "other"), ("", "other")])
def test_a_step_is_told_as_it_was(changed: Desk, version: int | str, said: str) -> None:
    asked = {"version": version} if version else {}
    assert changed.ask("GET", f"{RUN}/steps/{changed.steps[1]}", params=asked)["output"] == said


def test_a_version_that_nobody_kept_is_refused(changed: Desk) -> None:
    store_run(changed.store, KEY, [tool_step(2)], 3)
    step = f"{RUN}/steps/{changed.steps[0]}"
    told = changed.ask("GET", step, status=409, params={"version": 2})
    assert "newest is 3" in told["detail"]
    beside = {"version": 2, "other_version": 3}
    changed.ask("GET", f"{RUN}/diff/{KEY.trace_id}", status=409, params=beside)


def test_two_versions_of_a_run_are_laid_side_by_side(changed: Desk) -> None:
    beside = {"version": 1, "other_version": 2}
    diff = changed.ask("GET", f"{RUN}/diff/{KEY.trace_id}", params=beside)
    assert (diff["summary"]["changed"], diff["summary"]["added"]) == (1, 0)
    assert (diff["a"]["version"], diff["b"]["version"]) == (1, 2)


def test_whether_a_version_is_kept_is_asked_with_its_first_mark_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Mock(side_effect=desk.store.versions.has)
    monkeypatch.setattr(desk.store.versions, "has", asked)
    for place in range(3):
        desk.mark(place, "correct")
    assert asked.call_count == 1
    store_run(desk.store, KEY, [tool_step(2, "other")], 2)
    for _ in range(2):
        desk.mark(0, "correct")
    assert asked.call_count == 2
    assert [kept.version for kept in desk.store.versions.list(KEY)] == [2, 1]


def test_a_version_that_was_named_before_it_came_is_kept_once_it_is_there(desk: Desk) -> None:
    item = {"step_id": desk.steps[0], "correctness": "correct"}
    desk.write(item, version=2)
    store_run(desk.store, KEY, [tool_step(2), tool_step(3)], 2)
    desk.write({**item, "step_id": desk.steps[1]}, version=2)
    assert [kept.version for kept in desk.store.versions.list(KEY)] == [2]
