"""Runs made of log records without spans, from known and unknown coding agents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.agent_events import bare, event, run, steps
from tests.support.spans import make_span, verdict

CALL: dict[str, Any] = {"model": "m-1", "prompt_id": "p"}
COUNTED: dict[str, Any] = {
    "input_token_count": "10",
    "output_token_count": "2",
    "cached_token_count": "4",
}


def test_an_unknown_sender_is_read_by_the_ends_of_its_names() -> None:
    found = run(
        bare(1, "acme.user_prompt", 0, prompt="How many lines?"),
        bare(2, "acme.api_request", 5, **CALL),
        bare(3, "acme.api_response", 20, 15, **CALL, input_tokens="10", output_tokens="2"),
        bare(4, "acme.tool_result", 40, 10, tool_name="sh", arguments='{"cmd":"wc"}', output="3"),
        bare(5, "acme.api_request", 41, **CALL),
        bare(
            6,
            "acme.api_response",
            50,
            9,
            **CALL,
            input_tokens="20",
            output_tokens="4",
            response_text="3 lines.",
        ),
    )
    assert (found.root.name, found.root.input, found.root.output) == (
        "agent",
        "How many lines?",
        "3 lines.",
    )
    assert [(s.usage.input_tokens, s.model) for s in steps(found, "model") if s.usage] == [
        (10, "m-1"),
        (20, "m-1"),
    ]
    [tool] = steps(found, "tool")
    assert (tool.name, tool.input, tool.output) == ("sh", '{"cmd":"wc"}', "3")
    assert found.extras["conversation_id"] == "s-1"
    assert found.warnings == []
    assert (found.root.start_ns, found.root.end_ns - found.root.start_ns) == (
        steps(found, "model")[0].start_ns - 5_000_000,
        50_000_000,
    )


def test_the_text_of_an_unknown_record_is_what_it_says() -> None:
    found = run(
        bare(1, "acme.user_prompt", 0, body="Why?"),
        bare(2, "acme.api_request", 10, 5, input_tokens="1", output_tokens="1"),
        bare(3, "acme.assistant_response", 11, body="Because."),
    )
    assert (found.root.input, found.root.output) == ("Why?", "Because.")


def test_a_sentence_for_people_is_not_what_was_asked() -> None:
    found = run(
        bare(1, "qwen-code.user_prompt", 0, body="User prompt. Length: 4."),
        bare(2, "qwen-code.api_request", 5, **CALL),
    )
    assert found.root.input == ""


def test_a_call_without_an_end_was_cancelled() -> None:
    found = run(bare(1, "x.user_prompt", 0, prompt="q"), bare(2, "x.api_request", 5, **CALL))
    [call] = steps(found, "model")
    assert (call.metadata["outcome"], call.metadata["rule"]) == (
        "cancelled",
        "agent_logs.call_without_end",
    )


def test_an_error_is_a_failed_call() -> None:
    found = run(
        bare(1, "qwen-code.user_prompt", 0, prompt="q"),
        bare(2, "qwen-code.api_request", 5, **CALL),
        bare(3, "qwen-code.api_error", 9, 4, **CALL, error_message="no", status_code="400"),
    )
    [call] = steps(found, "model")
    assert call.error is not None
    assert (call.error.code, call.error.message) == (400, "no")
    assert found.failures[0].step_id == call.id


def test_requests_that_failed_are_calls_of_their_own() -> None:
    status = "http__response__status_code"
    found = run(
        bare(1, "codex.user_prompt", 0, prompt="q"),
        bare(2, "codex.api_request", 5, 2, **{status: "429", "error__message": "slow down"}),
        bare(3, "codex.api_request", 9, 2, **{status: "500", "error__message": "oops"}),
        bare(4, "codex.api_request", 15, 3, **{status: "200"}),
        bare(
            5,
            "codex.sse_event",
            30,
            event__kind="response.completed",
            **COUNTED,
        ),
    )
    calls = steps(found, "model")
    assert [call.error.code if call.error else 0 for call in calls] == [429, 500, 0]
    assert calls[2].usage is not None
    assert calls[2].usage[:4] == (10, 2, 0, 4)


def test_counts_without_the_call_are_no_run() -> None:
    counts = {"input_token_count": "10", "output_token_count": "2"}
    found = run(bare(1, "codex.sse_event", 5, event__kind="response.completed", **counts))
    assert found.step_counts["model"] == found.step_counts["agent"] == 0
    assert verdict(found, 1).rule == "agent_logs.fragment"


def test_input_of_claude_code_excludes_cached_tokens() -> None:
    counts = {"input_tokens": "6", "output_tokens": "2", "cache_read_tokens": "40"}
    found = run(
        bare(1, "claude_code.user_prompt", 0, prompt="q"),
        bare(2, "claude_code.api_request", 9, 5, **counts, cost_usd="0.002", request_id="r"),
        bare(3, "claude_code.assistant_response", 9, response="a", request_id="r"),
    )
    [call] = steps(found, "model")
    assert call.usage is not None
    assert call.usage.input_tokens == 46
    assert call.metadata["cost"] == "0.002"
    assert found.root.output == "a"


def test_a_sub_agent_owns_what_ran_in_it() -> None:
    prompt: dict[str, Any] = {"prompt__id": "p"}
    counts: dict[str, Any] = {"input_tokens": "1", "output_tokens": "1"}
    own: dict[str, Any] = {"agent__name": "helper", "query_source": "agent:helper"}
    found = run(
        bare(1, "claude_code.user_prompt", 0, prompt="q", **prompt),
        bare(2, "claude_code.api_request", 10, 8, query_source="sdk", **counts, **prompt),
        bare(3, "claude_code.api_request", 30, 8, **own, **counts, **prompt),
        bare(4, "claude_code.tool_result", 40, 5, tool_name="Read", tool_use_id="b", **prompt),
        bare(5, "claude_code.subagent_completed", 50, 35, agent_type="helper", **prompt),
        bare(
            6,
            "claude_code.tool_result",
            51,
            38,
            tool_name="Agent",
            tool_use_id="a",
            tool_input='{"prompt":"Look.","subagent_type":"helper"}',
            **prompt,
        ),
        bare(7, "claude_code.api_request", 60, 8, query_source="sdk", **counts, **prompt),
    )
    owned = {a.step.name: [s.name for s in a.steps] for a in found.agent_steps}
    assert owned["helper"] == ["claude_code.api_request", "Read"]
    assert owned["agent"].count("claude_code.api_request") == 2
    assert next(a.step.input for a in found.agent_steps if a.step.name == "helper") == "Look."


def test_results_are_in_the_next_request() -> None:
    sent = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "user", "parts": [_answered("sh", "Command: a\nOutput: x\nExit Code: 2")]},
    ]
    found = run(
        bare(1, "qwen-code.user_prompt", 0, prompt="q", prompt_id="p"),
        bare(2, "qwen-code.tool_call", 20, 9, function_name="sh", success="true", prompt_id="p"),
        bare(3, "qwen-code.api_request", 30, request_text=json.dumps(sent), prompt_id="p"),
    )
    [tool] = steps(found, "tool")
    assert tool.output.startswith("Command: a")
    assert tool.error is not None
    assert tool.error.message == "exit code 2: x"


def _answered(name: str, output: str) -> dict[str, object]:
    return {"functionResponse": {"id": "1", "name": name, "response": {"output": output}}}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"success": "false", "error": "broke"}, "broke"),
        ({"success": "true", "metadata": '{"exitCode":3,"isError":true}'}, "exit code 3"),
        ({"status": "failed"}, "the tool failed"),
        ({"exit_code": "1", "output": "no file"}, "exit code 1: no file"),
        ({"success": "true", "exit_code": "0"}, ""),
    ],
)
def test_a_failed_tool_is_told_in_many_ways(values: dict[str, str], message: str) -> None:
    found = run(
        bare(1, "x.user_prompt", 0, prompt="q"),
        bare(2, "x.tool_call", 9, 5, function_name="sh", **values),
    )
    [tool] = steps(found, "tool")
    assert (tool.error.message if tool.error else "") == message


def test_a_bridge_that_ends_a_span_late_is_put_right() -> None:
    """Qwen Code's spans start when their record is written, and end one duration later."""
    late = bare(2, "API response. Duration: 8ms.", 20, 8)
    stamp = "2025-11-20T00:53:20.012Z"
    attributes = {
        **late.attributes,
        "event.name": "qwen-code.api_response",
        "event.timestamp": stamp,
        "input_token_count": "1",
        "output_token_count": "1",
    }
    found = run(
        bare(1, "qwen-code.user_prompt", 0, prompt="q"), late._replace(attributes=attributes)
    )
    [call] = steps(found, "model")
    assert (call.name, late.start_ns - call.start_ns) == ("qwen-code.api_response", 8_000_000)


def test_records_of_a_call_that_has_a_span_are_no_steps() -> None:
    call = make_span(
        9,
        name="llm_call",
        scope="gemini-cli",
        attributes={"gen_ai.prompt.name": "p", "gen_ai.conversation.id": "s-1"},
        start=5,
        end=20,
    )
    found = run(
        bare(1, "gemini_cli.user_prompt", 0, prompt="q", prompt_id="p"),
        call,
        bare(
            2,
            "gemini_cli.api_response",
            21,
            14,
            prompt_id="p",
            **COUNTED,
        ),
    )
    [step] = steps(found, "model")
    assert step.usage is not None
    assert (step.usage.input_tokens, step.usage.cache_read_tokens) == (10, 4)
    assert verdict(found, 2).rule == "agent_logs.repeats_span"
    assert found.root.input == "q"


def test_an_agent_that_nobody_called_does_not_answer() -> None:
    counts = {"input_token_count": "1", "output_token_count": "1"}
    found = run(
        bare(1, "qwen-code.user_prompt", 0, prompt="q", prompt_id="p"),
        bare(2, "qwen-code.api_response", 9, 5, prompt_id="p", response_text="Paris.", **counts),
        bare(3, "qwen-code.subagent_execution", 10, subagent_name="memory", status="started"),
        bare(
            4,
            "qwen-code.api_response",
            19,
            5,
            prompt_id="s#memory#0",
            subagent_name="memory",
            response_text="nothing",
            **counts,
        ),
        bare(5, "qwen-code.subagent_execution", 20, subagent_name="memory", status="completed"),
    )
    assert found.root.output == "Paris."
    assert [a.step.name for a in found.agent_steps] == ["agent", "memory"]
    assert [len(a.steps) for a in found.agent_steps] == [2, 1]


def test_of_several_prompts_the_first_is_the_run() -> None:
    """Codex also reports the prompts of its sub-agents."""
    found = run(
        bare(1, "codex.user_prompt", 0, prompt="How?"),
        bare(2, "codex.api_request", 5, 2),
        bare(3, "codex.user_prompt", 7, prompt="Read."),
        bare(4, "codex.api_request", 9, 1),
    )
    assert (found.root.input, found.root_type) == ("How?", "agent")
    assert verdict(found, 3).kind == "other"


def test_records_on_spans_that_tell_nothing_are_read_too() -> None:
    asked = [event("acme.user_prompt", 2, prompt="How?")]
    events = [
        event("acme.api_request", 9, duration_ms="4", input_tokens="10", output_tokens="2"),
        event("acme.tool_result", 20, duration_ms="3", tool_name="sh", output="3"),
    ]
    found = run(
        make_span(1, name="acme.session", end=50, events=asked),
        make_span(2, 1, name="loop", events=events),
    )
    assert (found.root.input, found.root_type, found.span_count) == ("How?", "agent", 2)
    assert (found.root.end_ns - found.root.start_ns) // 1_000_000 == 50
    assert [step.name for step in steps(found, "tool")] == ["sh"]
    assert len(steps(found, "model")) == 1
    assert found.warnings == []


def test_records_on_spans_that_tell_the_run_are_no_steps() -> None:
    call = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    told = [event("acme.api_request", 9, input_tokens="10", output_tokens="2")]
    found = run(make_span(1, attributes=call, events=told))
    assert len(found.verdicts) == 1


def test_a_task_of_cline_is_a_run_with_counts_and_tools() -> None:
    found = run(
        bare(1, "task.conversation_turn", 0, source="user", ulid="u"),
        bare(
            2, "task.conversation_turn", 9, source="assistant", model="m", ulid="u",
            tokensIn="10", tokensOut="2", totalCost="0.5",
        ),
        bare(3, "task.tool_used", 12, tool="read_file", success="true", ulid="u"),
    )  # fmt: skip
    [call], [tool] = steps(found, "model"), steps(found, "tool")
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.output_tokens, call.model) == (10, 2, "m")
    assert (tool.name, tool.error) == ("read_file", None)
    assert found.root_type == "agent"
