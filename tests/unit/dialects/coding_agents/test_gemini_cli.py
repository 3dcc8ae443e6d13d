"""Gemini CLI's spans: runs without a root, texts in log records, failures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.agent_events import bare, event, run, steps
from tests.support.spans import make_span, raised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Event, Span

SCOPE = "gemini-cli"


def span(
    number: int,
    name: str,
    parent: int = 0,
    at: tuple[float, float] = (1, 9),
    events: Sequence[Event] = (),
    values: Mapping[str, str] | None = None,
) -> Span:
    attributes = {"gen_ai.conversation.id": "s-1", **(values or {})}
    return make_span(
        number, parent, attributes, start=at[0], end=at[1], name=name, scope=SCOPE, events=events
    )


def test_calls_without_a_prompt_have_a_root_that_is_made() -> None:
    found = run(
        span(1, "llm_call", at=(0, 5), values={"gen_ai.usage.input_tokens": "10"}),
        span(2, "schedule_tool_calls", at=(6, 9)),
        span(3, "tool_call", 2, at=(7, 8), values={"gen_ai.tool.name": "ls"}),
        span(4, "llm_call", at=(10, 20)),
    )
    assert found.root_type == "agent"
    assert (found.root.end_ns - found.root.start_ns) // 1_000_000 == 20
    assert (found.step_counts["model"], found.step_counts["tool"]) == (2, 1)
    assert found.extras["conversation_id"] == "s-1"
    assert found.warnings == []


def test_without_traces_the_texts_are_in_log_records() -> None:
    chunk = {"candidates": [{"content": {"parts": [{"text": "Pa"}]}}]}
    other = {"candidates": [{"content": {"parts": [{"text": "ris."}]}}]}
    asked = json.dumps([{"role": "user", "parts": [{"text": "Capital?"}]}])
    told = (("input", 10), ("output", 2), ("thoughts", 5), ("total", 17))
    counts = {f"{name}_token_count": str(count) for name, count in told}
    found = run(
        bare(1, "gemini_cli.user_prompt", 0, prompt="Capital?", prompt_id="p"),
        span(2, "llm_call", events=[
            event("gemini_cli.api_request", 1, prompt_id="p", request_text=asked, model="g")
        ]),
        bare(3, "gemini_cli.api_response", 9, 8, prompt_id="p", **counts,
             response_text=json.dumps([chunk, other])),
    )  # fmt: skip
    [call] = steps(found, "model")
    assert json.loads(call.input)[0]["content"] == "Capital?"
    assert (found.root.output, call.model) == ("Paris.", "g")
    assert call.usage is not None
    assert call.usage[:3] == (10, 7, 5)


def test_each_try_is_a_call() -> None:
    found = run(
        bare(1, "gemini_cli.user_prompt", 0, prompt="q", prompt_id="p"),
        *[
            span(n, "llm_call", at=(n, n + 0.5), events=[raised("ApiError", "quota", n)])
            for n in (2, 3)
        ],
        span(4, "llm_call", at=(4, 5)),
    )
    assert [call.error is not None for call in steps(found, "model")] == [True, True, False]


def test_the_end_of_a_call_in_another_run_is_no_call() -> None:
    counts = {"input_token_count": "10", "output_token_count": "2"}
    found = run(
        bare(1, "gemini_cli.user_prompt", 0, prompt="q", prompt_id="p"),
        span(2, "llm_call", events=[event("gemini_cli.api_request", 1, prompt_id="p")]),
        bare(3, "gemini_cli.api_response", 9, 8, prompt_id="p", **counts),
        bare(4, "gemini_cli.api_response", 900, 8, prompt_id="p", **counts),
    )
    assert len(steps(found, "model")) == 1


FAILED = [
    ('{"status":"error","response":{"error":{"message":"bad"}}}', "bad"),
    ('{"status":"success","response":{"responseParts":[]}}', ""),
]


@pytest.mark.parametrize(("output", "message"), FAILED)
def test_a_tool_fails_by_the_status_of_its_output(output: str, message: str) -> None:
    found = run(span(1, "tool_call", values={"gen_ai.output.messages": output}))
    [tool] = steps(found, "tool")
    assert (tool.error.message if tool.error else "") == message


def test_a_record_of_the_tools_batch_tells_of_the_tool() -> None:
    """Two tools of one name run at the same time; each gets the record written at its end."""
    records = [
        event(
            "gemini_cli.tool_call", 5, function_name="sh", success="true", function_args='{"c":1}'
        ),
        event(
            "gemini_cli.tool_call", 9, function_name="sh", metadata='{"exitCode":1,"isError":true}'
        ),
    ]
    found = run(
        span(1, "schedule_tool_calls", events=records),
        span(2, "tool_call", 1, (2, 5), values={"gen_ai.tool.name": "sh"}),
        span(3, "tool_call", 1, (3, 9), values={"gen_ai.tool.name": "sh"}),
    )
    first, second = steps(found, "tool")
    assert (first.input, first.error) == ('{"c":1}', None)
    assert second.error is not None
    assert second.error.message == "exit code 1"
