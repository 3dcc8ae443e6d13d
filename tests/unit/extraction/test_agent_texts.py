"""An agent's request and answer come from its model calls where it records none itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, raised, sid

if TYPE_CHECKING:
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Trajectory

ASKED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {
        "role": "user",
        "parts": [{"type": "text", "content": "Where?"}, {"type": "text", "text": "?"}],
    },
    {"role": "assistant", "content": "Hm."},
]
ANSWERED = [{"role": "assistant", "contents": [{"type": "text", "text": "Here."}]}]
CALLED = [{"role": "assistant", "parts": [{"type": "tool_call", "name": "look"}]}]


def agent(number: int, parent: int = 0, start: float = 0) -> Span:
    return make_span(number, parent, genai("invoke_agent"), start=start, end=100)


def call(number: int, parent: int, start: float, asked: object, answered: object) -> Span:
    said = chat(1, 1, input__messages=json.dumps(asked), output__messages=json.dumps(answered))
    return make_span(number, parent, said, start=start)


def step(trajectory: Trajectory, number: int) -> Step:
    return next(a.step for a in trajectory.agent_steps if a.step.id == sid(number))


def test_the_first_call_tells_the_request_and_the_last_the_answer() -> None:
    calls = [call(2, 1, 1, ASKED, CALLED), call(3, 1, 20, [], ANSWERED)]
    told = step(extract_spans(agent(1), *calls), 1)
    assert (told.input, told.output) == ("Where?\n?", "Here.")
    assert told.metadata["input_from"] == sid(2)
    assert told.metadata["output_from"] == sid(3)


def test_what_the_agent_says_itself_is_kept() -> None:
    said = genai("invoke_agent", input__messages="mine", output__messages="mine too")
    told = step(extract_spans(make_span(1, 0, said), call(2, 1, 1, ASKED, ANSWERED)), 1)
    assert (told.input, told.output) == ("mine", "mine too")
    assert "input_from" not in told.metadata


def test_where_calls_side_by_side_were_asked_different_things_their_graph_tells() -> None:
    verses = [[{"role": "user", "content": f"Verse {n}"}] for n in (1, 2)]
    graph = genai("invoke_workflow", workflow__name="verses", input__messages="Verses!")
    calls = [call(n + 3, 2, 2, verses[n], ANSWERED) for n in (0, 1)]
    spans = make_span(1, 0, end=100), make_span(2, 1, graph, start=1, end=90), *calls
    told = extract_spans(*spans).root
    assert (told.input, told.metadata["input_from"]) == ("Verses!", sid(2))


def test_an_inner_agent_tells_the_one_around_it() -> None:
    spans = [
        make_span(1, 0, end=200),
        agent(2, 1, 1),
        agent(3, 2, 2),
        call(4, 3, 3, ASKED, ANSWERED),
        call(5, 2, 30, [], []),
    ]
    trajectory = extract_spans(*spans)
    assert trajectory.root.metadata["input_from"] == sid(2)
    assert [a.step.input for a in trajectory.agent_steps] == ["Where?\n?"] * 3
    assert [a.step.output for a in trajectory.agent_steps] == ["", "", "Here."]
    assert trajectory.agent_steps[0].steps[0].input == "Where?\n?"


def test_a_failed_agent_has_no_answer() -> None:
    failed = agent(1)._replace(events=[raised("ValueError")])
    assert step(extract_spans(failed, call(2, 1, 1, ASKED, ANSWERED)), 1).output == ""


@pytest.mark.parametrize("odd", [{}, [1], [None], [{"role": {}}], 5])
def test_what_is_no_message_is_told_as_it_is(odd: object) -> None:
    told = step(extract_spans(agent(1), call(2, 1, 1, odd, odd)), 1)
    assert (told.input, told.output) == (json.dumps(odd), json.dumps(odd))


def test_a_text_in_quotation_marks_is_the_text() -> None:
    told = step(extract_spans(agent(1), call(2, 1, 1, 'a "b"\n', "c")), 1)
    assert (told.input, told.output) == ('a "b"\n', "c")


def test_what_is_more_than_text_is_told_in_parts() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://a/b.png"}}
    asked = [{"role": "user", "content": [{"type": "text", "text": "What?"}, picture]}]
    told = step(extract_spans(agent(1), call(2, 1, 1, asked, CALLED)), 1)
    assert json.loads(told.input) == asked[0]["content"]
    assert json.loads(told.output)[0]["tool_calls"][0]["function"]["name"] == "look"


def test_nothing_said_tells_nothing() -> None:
    told = step(extract_spans(agent(1), call(2, 1, 1, [], [])), 1)
    assert (told.input, told.output) == ("", "")


def test_without_calls_there_is_nothing_to_tell() -> None:
    told = step(extract_spans(agent(1), make_span(2, 1, genai("execute_tool"))), 1)
    assert (told.input, told.output) == ("", "")
