"""Pauses at which a run waits for a person are recognised, and end when the node runs again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, raised, sid

from spanloom.core.conventions.langchain.texts import read_question
from spanloom.core.dialects.eino.runs import read_question as eino_question
from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

AGENT = genai("invoke_agent")
TOOL = genai("execute_tool", tool__name="wire")


def waiting(
    number: int, parent: int, question: str, *, start: float = 0, name: str = "node"
) -> Span:
    """Return the span of a LangGraph node that interrupts its run to ask a person."""
    event = raised("langgraph.errors.GraphInterrupt", f"(Interrupt(value={question!r}, id='1'),)")
    return make_span(number, parent, events=[event], start=start, end=start, name=name)


def test_two_questions_side_by_side_are_two_pauses() -> None:
    built = extract_spans(
        make_span(1, 0, AGENT),
        waiting(2, 1, "q1", name="a"),
        waiting(3, 1, "q2", name="b"),
        waiting(4, 3, "q2", name="c"),
    )
    assert [(p.span_id, p.step_id, p.question) for p in built.pauses] == [
        (sid(2), sid(1), "q1"),
        (sid(4), sid(1), "q2"),
    ]
    assert built.outcome is Outcome.PAUSED
    assert built.root.metadata["question"] == "q1"


def test_a_pause_is_over_once_its_node_runs_again() -> None:
    again = make_span(3, 1, start=20, name="node")
    built = extract_spans(make_span(1, 0, AGENT, end=40), waiting(2, 1, "ok?"), again)
    assert (built.pauses, built.outcome) == ([], Outcome.OK)


def test_a_long_question_stands_once() -> None:
    question = "?" * 100_000
    outer = [make_span(n, n - 1, AGENT, end=50 - n) for n in range(1, 9)]
    built = extract_spans(*outer, waiting(9, 8, question))
    shown = sum(len(agent.step.metadata["question"]) for agent in built.agent_steps)
    assert shown < len(question) + 8 * 1000


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("(Interrupt(value='Wire 500 EUR?', id='1'),)", "Wire 500 EUR?"),
        ("(Interrupt(value={'ask': 'ok?'}, id='1', ns=['a']),)", '{"ask":"ok?"}'),
        ("(Interrupt(value='a', id='1'), Interrupt(value='b', id='2'))", '["a","b"]'),
        ("(Interrupt(value=<Form object at 0x7f>, id='1'),)", "<Form object at 0x7f>"),
        ('[{"id": "1", "value": "ok?"}]', "ok?"),
        ("(Interrupt(value=", ""),
        ("no pause at all", ""),
    ],
)
def test_what_langgraph_asks(message: str, question: str) -> None:
    assert read_question(message) == question


def test_what_eino_asks() -> None:
    told = "err=interrupt signal: ID=1, Addr=a, Info=interrupt info: Info=refund?, IsRootCause="
    assert eino_question(told + "true, State=x") == "refund?"
    assert eino_question(told + "false, State=x") == ""


@pytest.mark.parametrize("mark", ["Interrupt(value=", "Info=interrupt info: Info=", ", id="])
def test_long_messages_take_linear_time(mark: str) -> None:
    for read in (read_question, eino_question):
        read(f"(Interrupt(value=<{mark * 30_000}")
        read(mark * 30_000)
