"""Dated, regional and routed names of models find the listed price; other names find none."""

from __future__ import annotations

import pytest

from spanloom.core.price_names import listed_names
from spanloom.core.pricing import list_price

NOW_NS = 1_780_000_000 * 10**9
SAME = [
    ("gpt-4o-mini-2026-08-01", "", "gpt-4o-mini"),
    ("gpt-4o-mini-20260801", "openai", "gpt-4o-mini"),
    ("openai/gpt-4o-mini", "", "gpt-4o-mini"),
    ("openai:gpt-4o-mini", "", "gpt-4o-mini"),
    ("litellm_proxy/openai/gpt-4o-mini-2026-08-01", "", "gpt-4o-mini"),
    ("models/gemini-2.5-flash", "", "gemini-2.5-flash"),
    ("vertex_ai/gemini-2.5-pro", "", "gemini-2.5-pro"),
    ("publishers/google/models/gemini-2.5-pro", "", "gemini-2.5-pro"),
    ("mistral-large-2611", "", "mistral-large"),
    ("claude-sonnet-4-5@20260929", "", "claude-sonnet-4-5"),
    ("gpt-4o", "some-gateway", "gpt-4o"),
    ("googleai/gemini-2.5-flash", "", "gemini-2.5-flash"),
    ("vertexai/gemini-2.5-flash-001", "", "gemini-2.5-flash"),
    ("openai-responses:gpt-4o", "", "gpt-4o"),
    ("openai/responses/gpt-4o", "", "gpt-4o"),
    ("vercel/openai/gpt-4o", "", "gpt-4o"),
    ("portkey/@openai/gpt-4o", "", "gpt-4o"),
]


@pytest.mark.parametrize(("model", "provider", "listed"), SAME)
def test_name_has_the_price_of_the_listed_one(model: str, provider: str, listed: str) -> None:
    price = list_price(model, provider, NOW_NS)
    assert price is not None
    assert price == list_price(listed, "", NOW_NS)


BEDROCK = (
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
    "global.anthropic.claude-sonnet-4-5-20250929-v1:0:200k",
    "bedrock/us-east-1/anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
)


@pytest.mark.parametrize("model", BEDROCK)
def test_bedrocks_names_are_listed(model: str) -> None:
    assert list_price(model, "", NOW_NS) is not None


@pytest.mark.parametrize(
    "model", ["meta-llama/Llama-3.1-8B", "llama3:8b", "in-house-2026-08-01", "gpt-4-0999", "-0806"]
)
def test_unlisted_model_has_no_price(model: str) -> None:
    assert list_price(model, "", NOW_NS) is None


def test_exact_names_are_tried_before_undated_ones() -> None:
    names = [name.model for name in listed_names("openai/gpt-4o-2024-05-13", "openai")]
    assert names.index("gpt-4o-2024-05-13") < names.index("gpt-4o")
