"""Finds the names that a model may have in a price list, without gateway's route and date.

Price lists have shorter names for ``us.anthropic.claude-sonnet-4-5-20250929-v1:0``,
``vertex_ai/gemini-2.5-pro`` and ``gpt-4o-mini-2026-08-01``. A route is a prefix that gateways and
libraries add, such as ``vertex_ai/``. Only known routes are removed, so ``meta-llama/Llama-3.1-8B``
stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUTES = {
    "openai": "openai",
    "azure": "azure",
    "azure_ai": "azure",
    "azure_openai": "azure",
    "anthropic": "anthropic",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "converse": "aws",
    "amazon": "aws",
    "vertex_ai": "google",
    "vertex_ai_beta": "google",
    "google": "google",
    "google_genai": "google",
    "google_vertexai": "google",
    "google-gla": "google",
    "google-vertex": "google",
    "gemini": "google",
    "models": "google",
    "mistral": "mistral",
    "cohere": "cohere",
    "groq": "groq",
    "xai": "x-ai",
    "x-ai": "x-ai",
    "deepseek": "deepseek",
    "perplexity": "perplexity",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "cerebras": "cerebras",
    "openrouter": "openrouter",
    **dict.fromkeys(("openai-chat", "openai-responses", "responses"), "openai"),
    **dict.fromkeys(("googleai", "vertexai", "vertex", "google_vertex"), "google"),
    **dict.fromkeys(("mistralai",), "mistral"),
    **dict.fromkeys(("together", "togetherai"), "together"),
    **dict.fromkeys(("fireworks", "fireworks-ai"), "fireworks"),
    **dict.fromkeys(("grok",), "x-ai"),
    **dict.fromkeys(("workers-ai", "cloudflare"), "cloudflare"),
    **dict.fromkeys(("litellm_proxy", "litellm", "vercel", "gateway", "portkey", "github"), ""),
}
"""The provider for each prefix that gateways and libraries write before ``/`` or ``:``."""
_VENDORS = {
    "anthropic": "anthropic",
    "amazon": "aws",
    "meta": "meta",
    "mistral": "mistral",
    "cohere": "cohere",
    "ai21": "aws",
    "deepseek": "deepseek",
    "openai": "openai",
    "qwen": "aws",
}
_BEDROCK = re.compile(
    r"(?:[a-z]{2,6}(?:-gov)?\.)?(?P<vendor>[a-z0-9]+)\.(?P<model>[\w.-]+?)(?:-v\d+(?::\w+)*)?"
)
"""Matches Bedrock's names: region, vendor, model, version.

For example ``us.anthropic.claude-sonnet-4-5-20250929-v1:0``.
"""
_ARN = re.compile(r"arn:aws[\w-]*:bedrock:[^/]*/(.+)")
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-?\d")
_PUBLISHER = re.compile(r"(?:.*/)?publishers/([^/]+)/models/(.+)")
_DATE = re.compile(
    r"-(?:20\d\d-(?:0[1-9]|1[0-2])-\d\d"  # 2026-08-01
    r"|20\d\d(?:0[1-9]|1[0-2])\d\d"  # 20260801
    r"|(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])"  # 0806
    r"|2\d(?:0[1-9]|1[0-2]))$"  # 2608
)
_RELEASE = re.compile(r"^(gemini-.+)-00\d$")
"""Matches Google's numbered releases: ``gemini-2.5-flash-001``."""
_MAX_ROUTES = 4


class ListedName(NamedTuple):
    """A model and its provider, to look up in the price list; an empty provider matches any."""

    model: str
    provider: str


def listed_names(model: str, provider: str) -> Iterator[ListedName]:
    """Yield the names that the model may have in a price list, the most exact name first.

    Names without the date come last, because the price of the newest release is used only if the
    dated release is not listed.
    """
    routed = list(_without_routes(model, provider))
    yield from routed
    for name, named in routed:
        undated = _RELEASE.sub(r"\1", _DATE.sub("", name.replace("@", "-")))
        if undated not in ("", name):
            yield ListedName(undated, named)


def _without_routes(model: str, provider: str) -> Iterator[ListedName]:
    yield from _for_anybody(model, provider)
    for _ in range(_MAX_ROUTES):
        shorter = _next_name(model)
        if shorter is None:
            break
        model, provider = shorter.model, shorter.provider or provider
        yield from _for_anybody(model, provider)
    yield from _of_bedrock(model)


def _for_anybody(model: str, provider: str) -> Iterator[ListedName]:
    """Yield the name with its provider, then with any provider, because gateways resell models."""
    if provider:
        yield ListedName(model, provider)
    yield ListedName(model, "")


def _next_name(model: str) -> ListedName | None:
    """Return the name without its first route, with the provider if known; ``None`` if no route."""
    if found := _PUBLISHER.fullmatch(model):
        return ListedName(found[2], found[1])
    if found := _ARN.fullmatch(model):
        return ListedName(found[1], "aws")
    for separator in "/:":
        route, _, rest = model.partition(separator)
        word = route.lower().removeprefix("@")  # Portkey writes @openai/gpt-4o
        if rest and (word in _ROUTES or _REGION.fullmatch(route)):
            return ListedName(rest, _ROUTES.get(word, ""))
    return None


def _of_bedrock(model: str) -> Iterator[ListedName]:
    found = _BEDROCK.fullmatch(model)
    if found is not None and found["vendor"] in _VENDORS:
        yield ListedName(model, "aws")
        yield ListedName(found["model"], _VENDORS[found["vendor"]])
