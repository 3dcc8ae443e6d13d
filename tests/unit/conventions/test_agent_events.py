"""Events in log records of coding agents, recognised by the end of the record's name."""

from __future__ import annotations

import pytest
from tests.support.agent_events import bare, event
from tests.support.spans import make_span

from spanloom.core.conventions.agent_events import list_events, read_moment, what_of
from spanloom.core.conventions.agent_records import What

COUNTS = {"input_token_count": "1", "output_token_count": "1"}


@pytest.mark.parametrize(
    ("name", "attributes", "what"),
    [
        ("claude_code.user_prompt", {}, What.PROMPT),
        ("codex.user_prompt", {}, What.PROMPT),
        ("acme.agent.v2.api_request", {}, What.REQUEST),
        ("api_error", {}, What.FAILURE),
        ("gemini_cli.agent.start", {}, What.STARTED),
        ("gemini_cli.agent.finish", {}, What.FINISHED),
        ("qwen-code.subagent_execution", {"status": "started"}, What.STARTED),
        ("qwen-code.subagent_execution", {"status": "completed"}, What.FINISHED),
        ("claude_code.subagent_completed", {}, What.FINISHED),
        ("codex.sse_event", {}, None),
        ("codex.sse_event", COUNTS, What.RESPONSE),
        ("codex.sse_event", {"error.message": "cut"}, What.FAILURE),
        ("task.conversation_turn", {"source": "user"}, None),
        ("task.conversation_turn", {"tokensIn": "7", "tokensOut": "2"}, What.RESPONSE),
        ("claude_code.system_prompt", {}, None),
        ("gemini_cli.config", {}, None),
        ("my_api_request", {}, None),
    ],
)
def test_the_end_of_the_name_says_what_happened(
    name: str, attributes: dict[str, str], what: What | None
) -> None:
    assert what_of(name, attributes) is what


def test_events_of_spans_and_bare_spans_are_one_list_by_time() -> None:
    holder = make_span(1, events=[event("x.tool_result", 7), event("x.noise", 3)])
    found = list_events([holder, bare(2, "x.user_prompt", 1), bare(3, "x.api_request", 5)])
    assert [e.what for e in found] == [What.PROMPT, What.REQUEST, What.TOOL]
    assert [e.is_bare for e in found] == [True, True, False]


def test_hidden_values_count_as_absent() -> None:
    [prompt] = list_events([bare(1, "x.user_prompt", 0, prompt="<REDACTED>")])
    assert prompt.get(("prompt",)) == ""


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-25T22:58:54.790Z", 1_795_647_534_790_000_000),
        ("2026-11-25T22:58:54", 0),
        ("yesterday", 0),
        ("", 0),
    ],
)
def test_moments(text: str, moment: int) -> None:
    assert read_moment(text) == moment
