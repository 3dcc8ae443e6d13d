"""Copilot's spans: the GenAI conventions with exit codes, aborts, and texts around prompts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.agent_events import event, run, steps
from tests.support.spans import genai, make_span

from spanloom.core.conventions.view import TraceView
from spanloom.core.dialects.coding_agents.copilot import Copilot
from spanloom.core.model.span import Span
from spanloom.core.model.tree import SpanTree

if TYPE_CHECKING:
    from spanloom.core.model.trajectory import Trajectory

SCOPE = "github.copilot"
ASKED = json.dumps(
    [
        {
            "role": "user",
            "parts": [
                {"type": "text", "content": "<current_datetime>now</current_datetime>\n\nHow?"}
            ],
        }
    ]
)


def span(number: int, operation: str, parent: int = 1, **values: str) -> Span:
    attributes = {**genai(operation), **{k.replace("__", "."): v for k, v in values.items()}}
    return make_span(number, parent, attributes, start=number, name=operation, scope=SCOPE)


def prompt(*spans: Span, aborted: bool = False) -> Trajectory:
    events = [event("github.copilot.session.abort", 50)] if aborted else []
    root = span(1, "invoke_agent", 0, gen_ai__input__messages=ASKED)._replace(events=events)
    return run(root._replace(end_ns=root.end_ns + 10**8), *spans)


def test_the_time_is_no_part_of_what_was_asked() -> None:
    found = prompt(span(2, "chat", gen_ai__input__messages=ASKED))
    assert (found.root.name, found.root.input) == ("copilot", "How?")
    assert "current_datetime" in steps(found, "model")[0].input


def test_a_command_with_an_exit_code_failed() -> None:
    found = prompt(
        span(2, "execute_tool", gen_ai__tool__name="bash", process__exit__code="1",
             gen_ai__tool__call__result="no file\n<shellId: 0 completed with exit code 1>"),
        span(3, "execute_tool", gen_ai__tool__name="bash", process__exit__code="0"),
    )  # fmt: skip
    failed, good = steps(found, "tool")
    assert failed.error is not None
    assert (failed.error.message, good.error) == ("exit code 1: no file", None)


def test_an_aborted_session_was_cancelled() -> None:
    found = prompt(span(2, "chat", gen_ai__response__finish_reasons='["error"]'), aborted=True)
    assert found.outcome == "cancelled"
    assert steps(found, "model")[0].metadata["outcome"] == "cancelled"


def test_a_failed_try_is_a_call_and_its_status_is_told_nowhere() -> None:
    found = prompt(span(2, "chat", error__type="ModelCallError"), span(3, "chat"))
    assert [call.error is not None for call in steps(found, "model")] == [True, False]
    assert found.warnings == ["Copilot reports no status of a call that failed"]


def test_spans_of_the_program_without_a_turn_are_no_run() -> None:
    conversation = {"gen_ai.conversation.id": "c"}
    found = run(
        make_span(1, 0, conversation, name="custom_notification", scope=SCOPE),
        make_span(2, 0, conversation, start=4, name="custom_notification", scope=SCOPE),
    )
    assert not found.agent_steps


class Turn(Span):
    """A span that refuses whole comparison, which takes minutes with thousands of turns."""

    __slots__ = ()
    __hash__ = Span.__hash__

    def __eq__(self, other: object) -> bool:
        raise AssertionError(other)


def test_turns_are_known_by_their_ids() -> None:
    turns = [Turn(*span(number, "invoke_agent", 0)) for number in range(1, 5)]
    view = TraceView(SpanTree(turns))
    first, *others = (Copilot().classify(turn, view) for turn in turns)
    assert first.part_of is None
    assert {turn.part_of for turn in others} == {turns[0].span_id}
