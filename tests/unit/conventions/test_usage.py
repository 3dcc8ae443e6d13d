"""Token counts under every spelling that senders use, in attributes and in JSON."""

from __future__ import annotations

import pytest

from spanloom.core.conventions.endings import find_endings
from spanloom.core.conventions.usage import (
    AI_SDK,
    EVIDENCE,
    meaning_of,
    read_counts,
    read_json_counts,
    read_payload,
    read_total,
    read_total_in,
)
from spanloom.core.model.step import Usage

READ = Usage(cache_read_tokens=7)
CREATED = Usage(cache_creation_tokens=7)
REASONED = Usage(reasoning_tokens=7)
SPELLINGS = {
    "input_tokens": Usage(7),
    "prompt_tokens": Usage(7),
    "output_tokens": Usage(0, 7),
    "completion_tokens": Usage(0, 7),
    "reasoning.output_tokens": REASONED,
    "details.thoughts_tokens": REASONED,
    "experimental.reasoning_tokens": REASONED,
    "reasoningTokens": REASONED,
    "cache_read.input_tokens": READ,
    "cache_read_tokens": READ,
    "cached_input_tokens": READ,
    "input_cached_tokens": READ,
    "details.cached_content_tokens": READ,
    "prompt_tokens_details.cached_tokens": READ,
    "inputTokenDetails.cacheReadTokens": READ,
    "prompt_cache_hit_tokens": READ,
    "cache_write_tokens": CREATED,
    "cache_creation.input_tokens": CREATED,
    "cache_creation.ephemeral_5m_input_tokens": CREATED,
    "details.ephemeral_1h_input_tokens": CREATED,
    "prompt_cache_miss_tokens": Usage(7),
    "inputTokenDetails.cacheWriteTokens": CREATED,
    "text.input_tokens": Usage(),
    "details.text_prompt_tokens": Usage(),
    "completion_tokens_details.audio_tokens": Usage(),
    "prompt_tokens_details.input_tokens": Usage(),
    "output_tokens_per_second": Usage(),
    "cost": Usage(),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spelling_has_its_meaning_in_attributes(name: str) -> None:
    assert read_counts({f"gen_ai.usage.{name}": "7"}) == SPELLINGS[name]


PAYLOADS: list[tuple[dict[str, object], Usage]] = [
    (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 60, "audio_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(100, 50, 20, 60),
    ),
    (
        {
            "input_tokens": 100,
            "output_tokens": 50,
            "cache_read_input_tokens": 60,
            "cache_creation_input_tokens": 5,
        },
        Usage(100, 50, 0, 60, 5),
    ),
    (
        {
            "promptTokenCount": 24,
            "candidatesTokenCount": 180,
            "thoughtsTokenCount": 411,
            "cachedContentTokenCount": 12,
        },
        Usage(24, 180, 411, 12),
    ),
    (
        {
            "prompt_token_count": 24,
            "candidates_token_count": 180,
            "thoughts_token_count": 411,
            "cached_content_token_count": 12,
        },
        Usage(24, 180, 411, 12),
    ),
    (
        {
            "inputTokens": 5,
            "outputTokens": 6,
            "cacheReadInputTokens": 3,
            "cacheWriteInputTokens": 1,
        },
        Usage(5, 6, 0, 3, 1),
    ),
    ({"prompt_eval_count": 5, "eval_count": 6, "eval_duration": 900}, Usage(5, 6)),
    ({"uncached_input_tokens": 5, "cache_read_tokens": 3}, Usage(8, 0, 0, 3)),
    ({"input_tokens": None, "prompt_tokens": "12", "completion_tokens": True}, Usage(12)),
]


@pytest.mark.parametrize(("payload", "usage"), PAYLOADS)
def test_payload_of_any_provider(payload: dict[str, object], usage: Usage) -> None:
    assert read_payload(payload) == usage  # type: ignore[arg-type]  # JSON


def test_first_prefix_and_shortest_name_win() -> None:
    attributes = {
        "ai.usage.promptTokens": "5",
        "gen_ai.usage.details.input_tokens": "3",
        "gen_ai.usage.input_tokens": "4",
    }
    assert read_counts(attributes).input_tokens == 4
    assert read_counts(attributes, AI_SDK).input_tokens == 5


def test_zero_yields_to_another_spelling() -> None:
    attributes = {"gen_ai.usage.input_tokens": "0", "gen_ai.usage.prompt_tokens": "9"}
    assert read_counts(attributes).input_tokens == 9


def test_total_is_no_count_of_a_side() -> None:
    assert read_total({"llm.token_count.total": "9"}) == 9
    assert read_counts({"llm.token_count.total": "9"}) == Usage()
    assert read_total_in({"totalTokenCount": 9}) == 9


def test_long_name_is_none() -> None:
    assert meaning_of(("input_tokens",)) is not None
    assert meaning_of(("x" * 10_000,)) is None


def test_parts_of_what_was_cached_are_its_sum_unless_that_is_reported() -> None:
    parts = {
        "gen_ai.usage.cache_creation.ephemeral_5m_input_tokens": "100",
        "gen_ai.usage.cache_creation.ephemeral_1h_input_tokens": "50",
    }
    assert read_counts(parts).cache_creation_tokens == 150
    whole = {**parts, "gen_ai.usage.cache_creation_input_tokens": "160"}
    assert read_counts(whole).cache_creation_tokens == 160


@pytest.mark.parametrize(
    "key",
    [
        "gcp.gen_ai.usage.thoughts_token_count",
        "au.llm.usage.reasoning_tokens",
        "n8n.node.output.tokenUsage.reasoningTokens",
        "_ml_obs.metrics.reasoning_tokens",
    ],
)
def test_counts_have_any_vendor_s_prefix(key: str) -> None:
    assert read_counts({key: "7"}) == REASONED


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("app.llm.prompt_tokens", 7),
        ("promptTokens", 7),
        ("gen_ai.response.prompt_tokens", 7),
        ("app.limits.input_tokens", 0),
        ("gen_ai.aggregated_usage.input_tokens", 0),
        ("app.max.input_tokens", 0),
    ],
)
def test_without_a_word_for_counts_only_evidence_reads(key: str, number: int) -> None:
    assert read_counts({key: "7"}, EVIDENCE) == Usage(number)
    assert read_counts({key: "7"}) == Usage()


@pytest.mark.parametrize("key", ["gen_ai.usage", "traceroot.llm.usage", "tokenUsage"])
def test_one_attribute_may_hold_all_counts(key: str) -> None:
    assert find_endings([key, "usage_notes"]).counts == [key]
    assert read_json_counts({key: '{"input_tokens":5,"output_tokens":7}'}, [key]) == Usage(5, 7)
    assert read_json_counts({key: "12"}, [key]) == Usage()
