"""LiteLLM's own OpenTelemetry callback: scope ``litellm``.

``litellm_request`` is the call; ``raw_gen_ai_request`` below it is the same call as it went to the
provider, with usage as the text of a Python object. Under a span of the application there is only
the raw one, and the callback writes everything of the last call, its operation and usage included,
onto the application's span: that span is no call. Reasoning and cached tokens stand in
``metadata.usage_object``, text of Python too.

No capture: after the callback's documentation and source (1.106).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.dialects import genai_facts
from spanloom.core.dialects.values import first, integer
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind, Usage

if TYPE_CHECKING:
    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span

_SCOPE = "litellm"
_CALL_ID = "litellm.call_id"
_COST = "gen_ai.cost.total_cost"
_CALLS = {
    "litellm_request": Classification(Kind.MODEL, "litellm.request"),
    "raw_gen_ai_request": Classification(Kind.MODEL, "litellm.raw_request"),
}
_PLUMBING = Classification(Kind.OTHER, "litellm.plumbing")
_WRITTEN_ONTO = Classification(Kind.OTHER, "litellm.written_onto_the_caller")
_MAX_USAGE_CHARS = 4_000
"""The usage of a call is a dozen numbers: more is something else."""
_COUNTS = re.compile(r"(\w+_tokens)['\"]?\s*[:=]\s*(\d{1,12})\b")


class LiteLLM:
    """What LiteLLM's callback writes, on spans of its own and on those of its caller."""

    id = "litellm"

    def recognises(self, span: Span) -> bool:
        """By the scope, or by the marks that only this callback writes."""
        said = span.attributes
        return span.scope_name == _SCOPE or _CALL_ID in said or _COST in said

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # the protocol's signature
        """By the fixed names of its own spans; a span of anybody else is the caller's."""
        if span.scope_name != _SCOPE:
            return _WRITTEN_ONTO
        return _CALLS.get(span.name, _PLUMBING)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From the ``gen_ai.*`` attributes, of a raw request from ``llm.<provider>.*``."""
        said = span.attributes
        if kind is not Kind.MODEL:
            return Facts(input=said.get("input.value", ""), output=said.get("output.value", ""))
        facts = genai_facts.read_model_call(said)
        raw = {key.rpartition(".")[2]: text for key, text in said.items() if key.startswith("llm.")}
        facts.input = facts.input or first(raw, "messages")
        facts.output = facts.output or first(raw, "choices")
        facts.model = facts.model or first(raw, "model")
        told = _read_counts(first(said, "metadata.usage_object") or raw.get("usage", ""))
        facts.usage = facts.usage.completed_by(told) if facts.usage else told
        return facts


def _read_counts(text: str) -> Usage:
    """Read a usage object written out by Python, as a dictionary or as a model."""
    found: dict[str, int] = {}
    for name, count in _COUNTS.findall(text[:_MAX_USAGE_CHARS]):
        found[name] = found.get(name) or integer(count)
    return Usage(
        found.get("prompt_tokens", 0),
        found.get("completion_tokens", 0),
        found.get("reasoning_tokens", 0),
        found.get("cached_tokens", 0) or found.get("cache_read_input_tokens", 0),
        found.get("cache_creation_input_tokens", 0) or found.get("cache_creation_tokens", 0),
    )
