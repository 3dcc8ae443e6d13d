"""opencode's spans: turns that are no agents, runs whose end is lost, tools reported twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.agent_events import run, steps
from tests.support.spans import make_span, raised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Event, Span

SCOPE = "opencode"
ASKED = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "How?"}]}]})
TOOLS = '[{"type":"function","name":"bash"}]'


def span(
    number: int,
    name: str,
    parent: int = 99,
    at: tuple[float, float] = (1, 9),
    events: Sequence[Event] = (),
    **values: str,
) -> Span:
    operation = {"ai.operationId": name} if name.startswith("ai.") else {}
    attributes = {**operation, **{k.replace("__", "."): v for k, v in values.items()}}
    return make_span(
        number, parent, attributes, start=at[0], end=at[1], name=name, scope=SCOPE, events=events
    )


def turn(number: int, parent: int, at: tuple[float, float], text: str) -> list[Span]:
    own: dict[str, Any] = {"ai__prompt": ASKED, "ai__response__text": text, "session__id": "s-1"}
    return [
        span(number, "ai.streamText", parent, at, **own),
        span(number + 1, "ai.streamText.doStream", number, at, ai__prompt__tools=TOOLS,
             ai__response__text=text, ai__usage__inputTokens="10", ai__usage__outputTokens="2"),
    ]  # fmt: skip


def test_a_run_whose_end_is_lost_has_a_root_that_is_made() -> None:
    found = run(span(1, "LLM.run"), *turn(2, 1, (2, 8), "So."), span(9, "Session.get"))
    assert (found.root.name, found.root.input, found.root.output) == ("opencode", "How?", "So.")
    assert found.step_counts["agent"] == found.step_counts["model"] == 1
    assert found.extras["conversation_id"] == "s-1"
    assert found.warnings == [
        "no span without a parent arrived: the earliest topmost span stands in for the root",
        "opencode ended before its last spans were sent: its last calls may be missing",
    ]


def test_a_run_that_is_whole_keeps_its_own_span() -> None:
    found = run(span(1, "SessionPrompt.prompt", 0, (0, 20)), *turn(2, 1, (2, 8), "So."))
    assert (found.root.id[-1], found.root_type, found.warnings) == ("1", "agent", [])


def test_a_title_neither_asks_nor_answers() -> None:
    found = run(
        span(1, "SessionPrompt.prompt", 0, (0, 50)),
        span(2, "SessionPrompt.ensureTitle", 1, (1, 49)),
        *turn(3, 2, (2, 48), "A title"),
        *turn(5, 1, (3, 9), "So."),
    )
    assert (found.root.input, found.root.output) == ("How?", "So.")
    assert [a.step.name for a in found.agent_steps] == ["opencode", "title"]


def test_without_its_calls_a_run_has_no_answer() -> None:
    found = run(
        span(1, "SessionPrompt.prompt", 0, (0, 50)),
        span(2, "SessionPrompt.ensureTitle", 1, (1, 49)),
        *turn(3, 2, (2, 48), "A title"),
    )
    assert (found.root.input, found.root.output) == ("How?", "")


def test_a_call_that_never_answered_was_cancelled() -> None:
    found = run(*turn(2, 1, (2, 8), "So."), span(1, "LLM.run"), span(4, "LLM.run", at=(10, 12)))
    told = [call.metadata.get("outcome", "") for call in steps(found, "model")]
    assert told == ["", "cancelled"]


def test_a_tool_that_is_told_twice_counts_once() -> None:
    result = json.dumps({"output": "oops\n", "metadata": {"exit": 1}})
    called: dict[str, Any] = {
        "ai__toolCall__id": "t",
        "ai__toolCall__name": "bash",
        "ai__toolCall__args": "{}",
    }
    found = run(
        span(1, "Tool.execute", tool__call_id="t", tool__name="bash"),
        span(2, "ai.toolCall", 98, **called, ai__toolCall__result=result),
        span(3, "Tool.execute", tool__call_id="u", tool__name="read"),
    )
    failed, lost = steps(found, "tool")
    assert (failed.name, lost.name) == ("bash", "read")
    assert failed.error is not None
    assert failed.error.message == "exit code 1: oops"


def test_a_failed_try_is_a_call() -> None:
    failed = [raised("AI_APICallError", "busy", 2)]
    found = run(
        span(1, "LLM.run"),
        span(2, "ai.streamText", 1, events=failed)._replace(status_code="Error"),
        span(3, "ai.streamText.doStream", 2, events=failed)._replace(status_code="Error"),
        *turn(4, 1, (10, 20), "So."),
    )
    assert [call.error is not None for call in steps(found, "model")] == [True, False]
    assert len(found.failures) == 1


def test_the_programs_own_exceptions_are_no_failures() -> None:
    missing = span(9, "FileSystem.readFile", events=[raised("PlatformError", "NotFound")])
    found = run(span(1, "LLM.run"), *turn(2, 1, (2, 8), "So."), missing)
    assert (found.failures, found.outcome) == ((), "ok")
