"""A golden is the same for equal runs, whatever their ids and times, and matches each of them."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Capture
from tests.support.made_calls import document_of, made_agent, made_step

import spanloom
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.testing.failing import failure_text, tree_lines
from spanloom.testing.goldens import Golden, project

if TYPE_CHECKING:
    from pathlib import Path

CAPTURES = (
    Capture("langfuse", "react_tools"),
    Capture("langfuse", "nested_subgraph"),
    Capture("logfire-openai-agents", "handoff"),
)


def documents(capture: Capture) -> list[dict[str, Any]]:
    return [answer.document for answer in extract_capture(capture)]


def moved(document: dict[str, Any]) -> dict[str, Any]:
    """Return the same run with other ids, start times and durations."""
    text = json.dumps(document)
    for step_id in {step["id"] for step in _steps(document)}:
        text = text.replace(step_id, step_id[::-1])
    other: dict[str, Any] = json.loads(text)
    for step in _steps(other):
        step["basic_info"]["started_at"] = str(int(step["basic_info"]["started_at"]) + 77)
        step["basic_info"]["duration"] = "1"
    return other


def _steps(document: dict[str, Any]) -> list[dict[str, Any]]:
    agents = document["agent_steps"]
    return [document["root_step"], *agents, *(step for one in agents for step in one["steps"])]


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda one: one.id)
def test_a_golden_is_that_of_every_run_alike_and_matches_them(capture: Capture) -> None:
    for document in documents(capture):
        golden = project(document)
        assert project(moved(document)) == golden
        assert project(golden) == golden
        for of in ("ran", "agents", "steps", "graph"):
            match = {"kind": "match", "mode": "exact", "of": of, "retries": "count"}
            [result] = spanloom.evaluate(document, match, reference=golden)
            assert result["status"] == ("ok" if result["passed"] else "na"), result["rationale"]
            assert result["passed"] or of == "graph"


def team(search_at: int, add_at: int) -> dict[str, Any]:
    """Return a run whose planner's first model call runs a researcher."""
    planner = made_agent("planner", made_step("ask"), made_step("add", at=add_at))
    researcher = made_agent("researcher", made_step("search", at=search_at), at=search_at)
    return document_of(planner, {**researcher, "parent_id": "planner.0"})


@pytest.mark.parametrize(("search_at", "add_at"), [(0, 0), (0, 1), (1, 1), (1, 2)])
def test_the_order_of_calls_is_the_same_however_quick_they_were(
    search_at: int, add_at: int
) -> None:
    golden = project(team(1, 2))
    assert project(team(search_at, add_at)) == golden
    match = {"kind": "match", "mode": "exact"}
    [result] = spanloom.evaluate(team(search_at, add_at), match, reference=golden)
    assert result["passed"], result["rationale"]


def test_a_missing_golden_is_written_only_where_it_may_be(tmp_path: Path) -> None:
    golden = Golden(tmp_path / "goldens" / "team.json")
    with pytest.raises(AssertionError, match="--spanloom-update"):
        golden.write_if_due(team(1, 2), is_update=False, may_write_missing=False)
    with pytest.warns(UserWarning, match="it was missing"):
        golden.write_if_due(team(1, 2), is_update=False, may_write_missing=True)
    assert golden.read() == project(team(1, 2))
    changed = team(1, 2)
    changed["agent_steps"][0]["steps"][1]["name"] = "subtract"
    golden.write_if_due(changed, is_update=False, may_write_missing=True)
    assert golden.read() == project(team(1, 2))
    golden.write_if_due(changed, is_update=True, may_write_missing=True)
    assert golden.read() == project(changed)
    assert [file.name for file in golden.path.parent.iterdir()] == ["team.json"]


def test_what_a_golden_leaves_out_is_not_compared_with_it(tmp_path: Path) -> None:
    golden = Golden(tmp_path / "team.json")
    with pytest.raises(InvalidEvaluatorError, match="mode: a golden has no texts"):
        golden.check({"mode": "strict"})
    with pytest.raises(InvalidEvaluatorError, match="of: a golden has no texts"):
        golden.check({"of": "requested"})
    golden.path.write_text("{")
    with pytest.raises(AssertionError, match="is no JSON"):
        golden.read()


def test_a_failure_shows_the_step_in_the_tree_and_both_trees_aligned() -> None:
    document = team(1, 2)
    document["agent_steps"][1]["steps"][0]["basic_info"]["error"] = {"code": 429, "msg": "slow"}
    assert list(tree_lines(document, {"researcher.0"})) == [
        "  agent planner",
        "    tool ask",
        "      agent researcher",
        ">       tool search  ! 429: slow",
        "    tool add",
    ]
    golden = project(document)
    other = deepcopy(document)
    other["agent_steps"][0]["steps"][1]["name"] = "subtract"
    text = failure_text([], other, golden)
    assert "- golden, + this run:" in text
    assert "\n-   tool add {}\n" in text
    assert "\n+   tool subtract {}" in text
    assert "\n      agent researcher\n" in text
