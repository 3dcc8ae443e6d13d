"""A run with spans without an end is unfinished, unless it is still live."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.extracting import World, sent
from tests.support.spans import START_NS, chat, extract_spans, genai, make_span
from tests.support.wild import steps_of, wild_documents

from spanloom.core.model.span import Event
from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

AGENT = genai("invoke_agent", agent__name="fixer")


def left_open(number: int, parent: int, attributes: dict[str, str], start: float = 0) -> Span:
    return make_span(number, parent, attributes, start=start)._replace(end_ns=0)


def test_a_run_that_was_killed_is_not_finished() -> None:
    [document] = wild_documents("killed-run")
    extraction, root = document["extraction"], document["root_step"]
    assert extraction["outcome"] == "unfinished"
    assert extraction["warnings"] == ["2 spans have no end: they were not finished"]
    assert (root["basic_info"]["duration"], root["output"]) == ("910", "")
    [tool] = steps_of(document, "tool")
    assert tool["metadata"]["outcome"] == "unfinished"


@pytest.mark.parametrize(
    ("spans", "outcome"),
    [
        ([left_open(1, 0, AGENT)], Outcome.UNFINISHED),
        ([left_open(1, 0, {}), make_span(2, 1, AGENT)], Outcome.UNFINISHED),
        ([make_span(1), left_open(2, 1, AGENT)], Outcome.UNFINISHED),
        ([make_span(1, 0, AGENT), left_open(2, 1, chat(1, 1))], Outcome.OK),
        ([make_span(1, 0, AGENT, status="Error")._replace(end_ns=0)], Outcome.FAILED),
    ],
)
def test_what_has_to_end_for_a_run_to_be_finished(spans: list[Span], outcome: Outcome) -> None:
    assert extract_spans(*spans).outcome is outcome


def test_an_open_span_ends_with_the_last_that_is_known_of_it() -> None:
    event = Event(START_NS + 70_000_000, "log", {})
    inner = left_open(2, 1, AGENT, start=5)._replace(events=[event])
    spans = left_open(1, 0, {}), inner, make_span(3, 2, chat(1, 1), start=10, end=50)
    built = extract_spans(*spans)
    assert [v.end_ns - START_NS for v in built.verdicts] == [70_000_000, 70_000_000, 50_000_000]
    assert extract_spans(*reversed(spans)) == built


def test_an_agent_without_an_end_has_no_answer() -> None:
    said = chat(1, 1, output__messages='[{"role":"assistant","content":"Let me see."}]')
    assert extract_spans(left_open(1, 0, AGENT), make_span(2, 1, said)).root.output == ""


def test_a_live_run_is_not_called_unfinished() -> None:
    world = World()
    agent = sent(2, 1, {"gen_ai.operation.name": "invoke_agent"})
    agent.end_time_unix_nano = 0
    world.send(agent, sent(3, 2))
    world.run(3)
    live = world.document()["extraction"]
    assert (live["status"], live["outcome"], live["warnings"]) == ("live", "ok", [])
    world.step(1000)
    assert world.document()["extraction"]["outcome"] == "unfinished"
