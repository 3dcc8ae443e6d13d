"""Claude Code's spans and log records: attempts, errors, permissions, content switched off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.agent_events import event, run, steps
from tests.support.spans import make_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Event, Span
    from spanloom.core.model.trajectory import Trajectory

SCOPE = "com.anthropic.claude_code.tracing"


def span(
    number: int,
    what: str,
    parent: int = 1,
    at: tuple[float, float] = (1, 9),
    events: Sequence[Event] = (),
    **values: str,
) -> Span:
    attributes = {"session.id": "s-1", **{k.replace("__", "."): v for k, v in values.items()}}
    name = f"claude_code.{what}"
    return make_span(
        number, parent, attributes, start=at[0], end=at[1], name=name, scope=SCOPE, events=events
    )


def prompt(*spans: Span, events: Sequence[Event] = (), parent: int = 0) -> Trajectory:
    root = span(1, "interaction", parent, (0, 100), events, user_prompt="How?")
    return run(root, *spans)


CALL: dict[str, Any] = {
    "model": "m",
    "input_tokens": "6",
    "output_tokens": "2",
    "cache_read_tokens": "40",
}


def test_attempts_before_the_last_are_failed_calls() -> None:
    tries = [event("gen_ai.request.attempt", at, attempt=str(n)) for n, at in enumerate((1, 3, 7))]
    found = prompt(span(2, "llm_request", events=tries, attempt="3", success="true", **CALL))
    calls = steps(found, "model")
    failed = [call for call in calls if call.error is not None]
    assert (len(calls), len(failed)) == (3, 2)
    assert failed[0].error is not None
    assert failed[0].error.message == "attempt 1 of 3 failed and was repeated"
    assert sorted((c.end_ns - c.start_ns) // 1_000_000 for c in calls) == [2, 4, 8]
    assert sum(c.usage.input_tokens for c in calls if c.usage) == 46


def test_an_error_has_its_status() -> None:
    values: dict[str, Any] = {
        "success": "false",
        "status_code": "400",
        "error": "bad request",
        "attempt": "1",
    }
    error = event("claude_code.api_error", 9, error="bad request", request_id="r")
    found = prompt(span(2, "llm_request", **values, request_id="r"), events=[error])
    [call] = steps(found, "model")
    assert call.error is not None
    assert (call.error.code, call.error.message) == (400, "bad request")


def test_a_run_below_a_foreign_trace_is_the_root() -> None:
    found = prompt(span(2, "llm_request", **CALL), parent=77)
    assert (found.root.name, found.root.input, found.root_type) == ("claude-code", "How?", "agent")


def test_detailed_spans_have_what_was_new() -> None:
    new = "[USER]\nHow?\n\n[TOOL RESULT: t1]\n3 lines"
    found = prompt(
        span(2, "llm_request", new_context=new, response__model_output="Three.", **CALL),
        span(3, "tool", tool_name="mcp__calc__add", tool_use_id="t1", tool_input='{"a":1}',
             new_context="[TOOL RESULT: t1]\n42"),
    )  # fmt: skip
    [call], [tool] = steps(found, "model"), steps(found, "tool")
    assert [m["role"] for m in json.loads(call.input)] == ["user", "tool"]
    assert found.root.output == "Three."
    assert (tool.name, tool.input, tool.output) == ("mcp__calc__add", '{"a":1}', "42")


def test_raw_bodies_are_the_messages_of_the_call() -> None:
    sent = {"system": "Be brief.", "messages": [{"role": "user", "content": "How?"}]}
    received = {"content": [{"type": "text", "text": "So."}], "role": "assistant"}
    events = [
        event("claude_code.api_request_body", 1, body=json.dumps(sent)),
        event("claude_code.api_request", 9, request_id="r", cost_usd="0.5"),
        event("claude_code.api_response_body", 9, request_id="r", body=json.dumps(received)),
    ]
    found = prompt(span(2, "llm_request", request_id="r", **CALL), events=events)
    [call] = steps(found, "model")
    assert [m["content"] for m in json.loads(call.input)] == ["Be brief.", "How?"]
    assert found.root.output == "So."
    assert call.metadata["cost"] == "0.5"


def test_hidden_content_is_no_text() -> None:
    found = run(span(1, "interaction", 0, (0, 50), user_prompt="<REDACTED>"))
    assert (found.root.input, found.root.output) == ("", "")


def test_a_wait_that_is_over_is_no_pause() -> None:
    found = prompt(
        span(2, "tool", tool_name="Bash", full_command="ls", tool_use_id="t"),
        span(3, "tool.blocked_on_user", 2, decision="accept", source="user", duration_ms="5"),
        span(4, "tool.execution", 2, success="true"),
    )
    [tool] = steps(found, "tool")
    assert (tool.metadata["decision"], tool.metadata["waited_ms"]) == ("accept", "5")
    assert found.pauses == ()


def test_a_tool_that_waits_for_a_person_pauses_the_run() -> None:
    waiting = span(3, "tool.blocked_on_user", 2)._replace(end_ns=0)
    tool = span(2, "tool", tool_name="Bash", full_command="rm x")._replace(end_ns=0)
    found = run(span(1, "interaction", 0, user_prompt="How?")._replace(end_ns=0), tool, waiting)
    assert found.outcome == "paused"
    assert json.loads(found.pauses[0].question) == {
        "tool": "Bash",
        "arguments": {"command": "rm x"},
    }


def test_a_refused_tool_failed_by_its_record() -> None:
    events = [
        event("claude_code.tool_result", 9, tool_use_id="t", success="false", error="refused")
    ]
    found = prompt(span(2, "tool", tool_name="Bash", tool_use_id="t"), events=events)
    [tool] = steps(found, "tool")
    assert tool.error is not None
    assert tool.error.message == "refused"


def test_where_it_works_is_metadata_of_the_run() -> None:
    place: dict[str, Any] = {
        "vcs__ref__head__name": "main",
        "git__commit__sha": "abc",
        "cwd": "/src",
    }
    root = span(1, "interaction", 0, (0, 100), user_prompt="q", **place)
    found = run(root, span(2, "llm_request", **CALL))
    assert found.extras["metadata"] == {"branch": "main", "commit": "abc", "directory": "/src"}


def test_what_is_missing_is_a_warning() -> None:
    asked = prompt(span(2, "llm_request", stop_reason="tool_use", **CALL))
    assert asked.warnings == ["Claude Code reports no call that was cancelled"]
    answered = prompt(span(2, "llm_request", stop_reason="end_turn", **CALL))
    assert answered.warnings == []
