"""Runs that continue an earlier run which waited for a person are recognised."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.ground_truth import all_captures
from tests.support.mutations import cut_off, extract_all, same, traces_of
from tests.support.spans import chat, extract_spans, genai, make_span

from spanloom.core.dialects.eino.runs import is_resumed
from spanloom.core.messages.steps import is_resuming
from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.span import Span

COMMAND = '{"graph": null, "update": null, "resume": "yes", "goto": []}'
RESUMED = genai("invoke_agent", input__messages=COMMAND)
ASKED = genai("invoke_agent", input__messages="Read my resume")


@pytest.mark.parametrize(
    "given",
    [
        COMMAND,
        '{"lg_name":"Command","resume":{"ok":true},"goto":[]}',
        f'{{"inputs": {COMMAND}, "tags": [], "metadata": {{}}, "kwargs": {{"name": "banker"}}}}',
        f'{{"input": {COMMAND}}}',
        json.dumps(COMMAND),
    ],
)
def test_an_answer_is_given_in_many_shapes(given: str) -> None:
    assert is_resuming(given)


@pytest.mark.parametrize(
    "given",
    [
        "Read my resume",
        '{"resume": "resume.pdf"}',
        '{"graph": null, "update": {}, "resume": null, "goto": ["sales"]}',
        '{"messages": [{"role": "user", "content": "resume"}]}',
        "[" * 100_000 + '"resume"',
        "",
    ],
)
def test_what_only_has_the_word_is_no_answer(given: str) -> None:
    assert not is_resuming(given)


def test_eino_tells_by_the_state_that_it_takes_up() -> None:
    assert is_resumed('{"Input":null,"ResumeInfo":{"EnableStreaming":false,"Data":')
    assert not is_resumed('{"Input":{"Messages":[]},"ResumeInfo":null}')


def test_a_run_goes_on_where_its_root_was_given_an_answer() -> None:
    assert extract_spans(make_span(1, 0, RESUMED)).is_resuming
    assert not extract_spans(make_span(1, 0, ASKED)).is_resuming


def test_what_frames_a_run_goes_on_with_the_first_agent_in_it() -> None:
    frame = make_span(1, name="POST /chat", end=90)
    resumed, asked = (make_span(2, 1, given, start=10) for given in (RESUMED, ASKED))
    later = make_span(3, 1, RESUMED, start=50)
    assert extract_spans(frame, resumed).is_resuming
    assert not extract_spans(frame, asked, later).is_resuming
    assert not extract_spans(frame).is_resuming


def test_an_agent_that_is_asked_anew_goes_on_with_nothing() -> None:
    outer = make_span(1, 0, {**ASKED, "gen_ai.agent.name": "boss"}, end=90)
    call = make_span(2, 1, chat())
    inner = make_span(3, 1, {**RESUMED, "gen_ai.agent.name": "clerk"}, start=20)
    assert not extract_spans(outer, call, inner).is_resuming


def test_a_tool_that_was_asked_for_before_the_run_began_goes_on() -> None:
    """OpenTelemetry's own instrumentation of LangChain records no input of the agent to go by."""
    agent = make_span(1, 0, genai("invoke_agent"), end=90)
    asked_for = genai("execute_tool", tool__name="wire", tool__call__id="call_1")
    wire, call = make_span(2, 1, asked_for), make_span(3, 1, chat(), start=20)
    assert extract_spans(agent, wire, call).is_resuming
    assert not extract_spans(agent, make_span(4, 1, chat(), start=-20), wire, call).is_resuming
    of_its_own = make_span(2, 1, genai("execute_tool", tool__name="wire"))
    assert not extract_spans(agent, of_its_own, call).is_resuming
    assert not extract_spans(agent, wire).is_resuming, "nothing tells of any model"


@pytest.mark.parametrize("change", [same, cut_off])
@pytest.mark.parametrize("name", ["js-langfuse", "eino-langfuse"])
def test_captured_runs_that_wait_and_go_on(name: str, change: Callable[[Span], Span]) -> None:
    [capture] = [c for c in all_captures() if c.id == f"{name}/interrupt_resume"]
    runs = sorted(extract_all(traces_of(capture), change), key=lambda t: t.root.start_ns)
    assert [(run.outcome, run.is_resuming) for run in runs] == [
        (Outcome.PAUSED, False),
        (Outcome.OK, True),
    ]
