"""The Vercel AI SDK before version 7: which runs are agents, and where its token counts are."""

from __future__ import annotations

import orjson
import pytest
from tests.support.spans import extract_spans, make_span, normalized, rules

from spanloom.core.model.step import Usage

RUN, CALL, TOOL = "ai.generateText", "ai.generateText.doGenerate", "ai.toolCall"


def op(operation: str, **more: str) -> dict[str, str]:
    named = {key.replace("__", "."): value for key, value in more.items()}
    return {"ai.operationId": operation, **named}


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ([op(CALL)], "other"),
        ([], "other"),
        ([op(CALL, ai__prompt__tools="[]")], "other"),
        ([op(CALL, ai__prompt__tools='["{}"]')], "agent"),
        ([op(CALL), op(TOOL)], "agent"),
        ([op(CALL), op(CALL)], "agent"),
    ],
)
def test_a_run_is_an_agent_if_it_has_tools_or_calls_again(
    inside: list[dict[str, str]], kind: str
) -> None:
    steps = [make_span(n, 1, said, start=n) for n, said in enumerate(inside, 2)]
    found = rules(make_span(1, 0, op(RUN), end=90), *steps)
    assert found[1][0] == kind
    assert [found[n][0] for n in range(2, 2 + len(inside))] == [
        "tool" if said["ai.operationId"] == TOOL else "model" for said in inside
    ]


def test_details_stand_under_its_own_names_only() -> None:
    said = op(
        CALL,
        gen_ai__usage__input_tokens="203",
        ai__usage__outputTokens="61",
        ai__usage__reasoningTokens="30",
        ai__usage__inputTokenDetails__cacheReadTokens="64",
        ai__response__msToFirstChunk="88.5",
        ai__response__text="Let me see.",
        ai__response__toolCalls='[{"toolCallId":"c1","toolName":"f","input":"{}"}]',
    )
    facts = normalized(make_span(1, 0, said))[1].facts
    assert facts.usage == Usage(203, 61, 30, 64)
    assert facts.first_token_ms == 88.5
    [message] = orjson.loads(facts.output)
    assert message["content"] == "Let me see."
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["f"]


def test_a_run_s_usage_is_a_sum_and_never_counted() -> None:
    total = {"ai.usage.inputTokens": "50", "gen_ai.usage.input_tokens": "50"}
    call = op(CALL, ai__usage__inputTokens="50")
    for operation in (RUN, "ai.streamText"):
        trajectory = extract_spans(
            make_span(1, 0, {**op(operation), **total}, end=90), make_span(2, 1, call, start=1)
        )
        assert trajectory.root_metrics.input_tokens == 50


def test_embeddings_are_one_tool_run_with_the_call_inside() -> None:
    tool = make_span(1, 0, op(TOOL, ai__toolCall__name="search", ai__toolCall__result='"x"'), end=9)
    embed = make_span(2, 1, op("ai.embed"), start=1, end=8)
    inner = make_span(3, 2, op("ai.embed.doEmbed"), start=2, end=7)
    trajectory = extract_spans(tool, embed, inner)
    assert trajectory.step_counts["tool"] == 1
    found = normalized(tool)[1].facts
    assert (found.tool_name, found.output) == ("search", "x")


@pytest.mark.parametrize("calls", ["{", "7", '{"a":1}', "[1,null]", "[]"])
def test_tool_calls_that_are_none_leave_the_text(calls: str) -> None:
    said = op(CALL, ai__response__text="Hello", ai__response__toolCalls=calls)
    assert "Hello" in normalized(make_span(1, 0, said))[1].facts.output


def test_thoughts_stand_beside_the_answer() -> None:
    said = op(CALL, ai__response__reasoning="hm", ai__response__text="Rome")
    [message] = orjson.loads(normalized(make_span(1, 0, said))[1].facts.output)
    assert message == {"role": "assistant", "content": "Rome", "reasoning_content": "hm"}


ANTHROPIC = {
    "usage": {
        "input_tokens": 7,
        "cache_creation_input_tokens": 2089,
        "cache_read_input_tokens": 16399,
        "output_tokens": 445,
    },
    "cacheCreationInputTokens": 2089,
}


@pytest.mark.parametrize(
    ("metadata", "usage"),
    [
        ({"anthropic": ANTHROPIC}, Usage(18495, 445, 0, 16399, 2089)),
        ({"openai": {"cachedPromptTokens": 5, "reasoningTokens": 20}}, Usage(7, 445, 20, 5)),
        ({"bedrock": {"usage": {"cacheReadInputTokens": 4}}}, Usage(7, 445, 0, 4)),
        ({"openai": {"responseId": "resp_1"}}, Usage(7, 445)),
    ],
)
def test_older_versions_leave_cached_tokens_in_metadata(
    metadata: dict[str, object], usage: Usage
) -> None:
    attributes = {
        **op("ai.generateText.doGenerate"),
        "ai.usage.promptTokens": "7",
        "ai.usage.completionTokens": "445",
        "ai.response.providerMetadata": orjson.dumps(metadata).decode(),
    }
    (call,) = normalized(make_span(1, attributes=attributes)).values()
    assert call.facts.usage == usage
