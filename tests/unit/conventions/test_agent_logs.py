"""Names of log records of coding agents, and which of them are kept."""

from __future__ import annotations

import pytest

from spanloom.core.conventions.agent_logs import is_kept, name_log

CLAUDE, CODEX, GEMINI = "com.anthropic.claude_code.events", "codex_otel.log_only", "gemini-cli"


@pytest.mark.parametrize(
    ("names", "scope", "name"),
    [
        (("user_prompt", "", "claude_code.user_prompt"), CLAUDE, "claude_code.user_prompt"),
        (("user_prompt", "", "What is this?"), CLAUDE, "claude_code.user_prompt"),
        (("codex.tool_result", "event otel/src/tool_result.rs:54", ""), CODEX, "codex.tool_result"),
        (("", "", "claude_code.api_request"), "", "claude_code.api_request"),
        (("", "api_request", "API request to m."), GEMINI, "gemini_cli.api_request"),
        (("x.tool_call", "y", ""), "x", "x.tool_call"),
        (("", "", "Tool call: bash."), GEMINI, ""),
        (("", "", ""), CLAUDE, ""),
    ],
)
def test_a_name_has_the_prefix_of_its_sender(
    names: tuple[str, str, str], scope: str, name: str
) -> None:
    assert name_log(names, scope) == name


@pytest.mark.parametrize(
    "name",
    [
        *("claude_code.user_prompt", "codex.tool_result", "gemini_cli.api_response"),
        *("qwen-code.subagent_execution", "gemini_cli.agent.start", "claude_code.api_request_body"),
    ],
)
def test_what_happened_in_a_run_is_kept(name: str) -> None:
    assert is_kept(name, {})


@pytest.mark.parametrize(
    "name",
    [
        *("gemini_cli.config", "gemini_cli.startup_stats", "qwen-code.auth", "codex.startup_phase"),
        *("qwen-code.memory.recall", "claude_code.mcp_server_connection", "", "user", "start"),
    ],
)
def test_what_happened_around_it_is_not(name: str) -> None:
    assert not is_kept(name, {"session.id": "S"})


def test_of_a_stream_only_the_end_is_kept() -> None:
    assert is_kept("codex.sse_event", {"event.kind": "response.completed"})
    assert not is_kept("codex.sse_event", {"event.kind": "response.output_text.delta"})
    failed = {"event.kind": "response.failed", "error.message": "cut"}
    assert is_kept("codex.sse_event", failed)


def test_a_sender_that_nobody_knows_has_to_name_its_conversation() -> None:
    assert is_kept("some_agent.tool_call", {"session.id": "S"})
    assert is_kept("api_error", {"conversation.id": "C"})
    assert not is_kept("some_agent.tool_call", {"session.id": "", "user.id": "U"})
