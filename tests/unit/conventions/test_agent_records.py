"""The meaning of the names of coding agents' log records: one table for all that read them."""

from __future__ import annotations

import pytest

from spanloom.core.conventions.agent_records import What, is_part_of_run, what_is_named


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("gemini_cli.agent.finish", What.FINISHED),
        ("gemini_cli.agent.start", What.STARTED),
        ("x.y.tool_call", What.TOOL),
        ("tool_call", What.TOOL),
        ("claude_code.subagent_completed", What.FINISHED),
        ("claude_code.api_request_body", What.SENT),
        ("codex.sse_event", What.RESPONSE),
        ("codex.websocket_request", What.REQUEST),
        ("task.tool_used", What.TOOL),
    ],
)
def test_the_last_part_of_a_name_tells(name: str, what: What) -> None:
    assert what_is_named(name) is what
    assert is_part_of_run(name)


@pytest.mark.parametrize("name", ["shop.finish", "finish", "", "shop.sse_event", "agent.start_up"])
def test_other_names_tell_nothing(name: str) -> None:
    assert what_is_named(name) is None
    assert not is_part_of_run(name)


@pytest.mark.parametrize("name", ["claude_code.system_prompt", "codex.turn_ttft"])
def test_some_are_a_part_of_a_run_and_no_step(name: str) -> None:
    assert what_is_named(name) is None
    assert is_part_of_run(name)
