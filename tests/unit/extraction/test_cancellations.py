"""Runs that were stopped from outside are cancelled; a race's loser does not cancel its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.spans import extract_spans, genai, make_span, raised, sid

from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

AGENT = genai("invoke_agent", agent__name="planner")
TOOL = genai("execute_tool", tool__name="weather")
CALL = genai("chat", request__model="m")


def cut(number: int, parent: int, attributes: dict[str, str], end: float = 10) -> Span:
    events = [raised("asyncio.exceptions.CancelledError")]
    return make_span(number, parent, attributes, events=events, status="Error", end=end)


def test_a_run_that_its_caller_stopped() -> None:
    built = extract_spans(cut(1, 0, AGENT), make_span(2, 1, CALL, end=3), cut(3, 1, TOOL))
    assert (built.outcome, built.failures, built.has_error) == (Outcome.CANCELLED, [], False)
    assert built.root.metadata["outcome"] == "cancelled"
    assert built.root.error is None


def test_an_application_that_says_nothing_around_it() -> None:
    built = extract_spans(make_span(1, 0, name="POST /ask", end=11), cut(2, 1, AGENT))
    assert built.outcome is Outcome.CANCELLED


def test_the_loser_of_a_race_is_cancelled_and_the_run_is_not() -> None:
    built = extract_spans(
        make_span(1, 0, AGENT, end=40),
        make_span(2, 1, TOOL, end=12),
        cut(3, 2, genai("invoke_agent", agent__name="slow"), end=11),
        make_span(4, 1, CALL, start=20, end=30),
    )
    assert built.outcome is Outcome.OK
    slow = next(a.step for a in built.agent_steps if a.step.id == sid(3))
    assert slow.metadata["outcome"] == "cancelled"


def test_a_branch_beside_it_that_goes_on_to_its_end() -> None:
    built = extract_spans(
        make_span(1, 0, name="POST /ask", end=40), cut(2, 1, AGENT), make_span(3, 1, AGENT, end=39)
    )
    assert built.outcome is Outcome.OK


def test_siblings_of_a_tool_that_failed_do_not_make_the_run_cancelled() -> None:
    failed = [raised("ValueError", "no such city")]
    built = extract_spans(
        make_span(1, 0, AGENT, events=failed, status="Error", end=12),
        make_span(2, 1, TOOL, events=failed, status="Error", end=9),
        cut(3, 1, TOOL),
    )
    assert built.outcome is Outcome.FAILED


def test_an_answer_of_the_root_counts() -> None:
    said = {"gen_ai.output.messages": '[{"role":"assistant","parts":[{"content":"dry"}]}]'}
    built = extract_spans(make_span(1, 0, {**AGENT, **said}, end=11), cut(2, 1, TOOL))
    assert built.outcome is Outcome.OK


def test_a_branch_alone_of_a_run_that_is_still_going() -> None:
    built = extract_spans(make_span(3, 2, CALL, end=5), cut(4, 2, AGENT))
    assert built.outcome is Outcome.OK


def test_an_error_without_words_is_the_cancellation_told_by_another() -> None:
    wordless = make_span(3, 1, status="Error", end=10, name="node")
    built = extract_spans(cut(1, 0, AGENT), cut(2, 1, TOOL), wordless)
    assert (built.outcome, built.failures) == (Outcome.CANCELLED, [])


def test_what_the_last_call_said_is_no_answer_of_a_run_that_was_stopped() -> None:
    said = {"gen_ai.output.messages": '[{"role":"assistant","parts":[{"content":"I look"}]}]'}
    built = extract_spans(
        cut(1, 0, AGENT), make_span(2, 1, {**CALL, **said}, end=3), cut(3, 1, TOOL)
    )
    assert built.root.output == ""
