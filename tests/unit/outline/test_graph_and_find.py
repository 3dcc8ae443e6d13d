"""The call graph of captured runs, and the search for words in their steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.support.extracting import World
from tests.support.ground_truth import Capture

from spanloom.core.outline import graph
from spanloom.core.outline.graph import run_graph
from spanloom.core.outline.view import PREVIEW_CHARS, find_rows, first_words, read_run

if TYPE_CHECKING:
    from spanloom.core.outline.view import WholeRun


def captured(dialect: str, scenario: str) -> WholeRun:
    world = World()
    for body in Capture(dialect, scenario).requests():
        world.send_message(body)
    world.step(100)
    world.step(100)
    records = world.store.state.records.values()  # type: ignore[attr-defined]  # of the memory store
    record = max(records, key=lambda record: len(record.document))
    return read_run(record.document, record.spans_document)


@pytest.fixture(scope="module")
def run() -> WholeRun:
    return captured("openinference-langchain", "react_tools")


def test_a_short_run_has_a_node_for_each_step(run: WholeRun) -> None:
    shown = run_graph(run.view.rows, run.steps)
    steps = [row for row in run.view.rows if row.step_id == row.id]
    assert [node["id"] for node in shown["nodes"]] == [row.id for row in steps]
    assert len(shown["edges"]) == len(steps) - 1
    assert (shown["is_aggregated"], shown["why"]) == (False, "")


def test_of_a_long_run_calls_of_one_name_share_a_node(
    run: WholeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_graph(run.view.rows, run.steps)
    monkeypatch.setattr(graph, "MOST_STEPS", 2)
    shown = run_graph(run.view.rows, run.steps)
    assert shown["is_aggregated"]
    assert "one node" in shown["why"]
    for count in ("calls", "errors", "input_tokens", "output_tokens", "duration_ms"):
        assert sum(n[count] for n in shown["nodes"]) == sum(n[count] for n in whole["nodes"])
    assert sum(e["calls"] for e in shown["edges"]) == sum(e["calls"] for e in whole["edges"])
    names = [(node["type"], node["agent"], node["name"]) for node in shown["nodes"]]
    assert len(names) == len(set(names)) < len(whole["nodes"])


def test_nodes_are_bounded(run: WholeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MOST_STEPS", 0)
    monkeypatch.setattr(graph, "MOST_NODES", 1)
    shown = run_graph(run.view.rows, run.steps)
    assert {node["name"] for node in shown["nodes"][1:]} == {"…"}


def test_a_part_of_a_word_is_found_in_any_case_once_a_row(run: WholeRun) -> None:
    found = list(find_rows(run.view.rows, run.steps, "HEAVY RA"))
    assert found
    assert len({each.row for each in found}) == len(found)
    assert all("heavy ra" in each.snippet.lower() for each in found)
    parts = [each.part for each in find_rows(run.view.rows, run.steps, "get_WEATHER")]
    assert {"name", "output"} <= set(parts)
    assert not list(find_rows(run.view.rows, run.steps, "no such words"))


def test_a_preview_is_a_short_line() -> None:
    assert first_words("one\n two") == "one two"
    assert first_words('[{"role":"user","content":"hi"},{"role":"user","content":"so"}]') == "so"
    assert len(first_words("word " * 1000)) == PREVIEW_CHARS
    assert first_words("") == ""


@pytest.mark.parametrize(
    ("dialect", "scenario", "handed"),
    [
        ("openinference-langchain", "supervisor", {"research_agent", "math_agent"}),
        ("eino-apmplus", "supervisor", {"research_agent", "math_agent"}),
        ("logfire-openai-agents", "handoff", {"weatherman"}),
        ("other-openai-agents-openinference", "handoff", {"refund_desk"}),
        ("other-llamaindex-mlflow", "handoff", set()),  # the agents have no spans of their own
        ("openinference-langchain", "react_tools", set()),
    ],
)
def test_a_handoff_leads_to_the_agent_that_it_names(
    dialect: str, scenario: str, handed: set[str]
) -> None:
    run = captured(dialect, scenario)
    shown = run_graph(run.view.rows, run.steps)
    named = {node["id"]: (node["type"], node["name"]) for node in shown["nodes"]}
    found = [edge for edge in shown["edges"] if edge["handoffs"]]
    assert {named[edge["to"]] for edge in found} == {("agent", name) for name in handed}
    assert {named[edge["from"]][0] for edge in found} <= {"tool"}


def test_which_of_several_runs_of_an_agent_was_meant_is_not_guessed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = captured("other-autogen-openinference", "swarm")
    shown = run_graph(run.view.rows, run.steps)
    assert not any(edge["handoffs"] for edge in shown["edges"])
    monkeypatch.setattr(graph, "MOST_STEPS", 2)
    shown = run_graph(run.view.rows, run.steps)
    assert any(edge["handoffs"] for edge in shown["edges"])


def test_words_are_found_in_any_order(run: WholeRun) -> None:
    whole = run.steps[run.view.rows[0].id].input
    first, *_, last = re.findall(r"\w{4,}", whole)
    rows = [found.row for found in find_rows(run.view.rows, run.steps, f"{last} {first}")]
    assert 0 in rows
    assert not list(find_rows(run.view.rows, run.steps, f"{first} nobodysaysthis"))
