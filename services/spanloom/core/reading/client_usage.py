"""The tokens of a call as the model's own API counts them, for dialects that hand its answer on."""

from __future__ import annotations

from spanloom.core.model.trajectory import Usage
from spanloom.core.reading.values import Json, count


def read_client_usage(payload: dict[str, Json]) -> Usage:
    """Read OpenAI's ``prompt_tokens`` or Anthropic's ``input_tokens``, and so on."""
    inputs = _inner(payload, "prompt_tokens_details", "input_tokens_details")
    outputs = _inner(payload, "completion_tokens_details", "output_tokens_details")
    return Usage(
        count(payload.get("prompt_tokens")) or count(payload.get("input_tokens")),
        count(payload.get("completion_tokens")) or count(payload.get("output_tokens")),
        count(outputs.get("reasoning_tokens")),
        count(inputs.get("cached_tokens")) or count(payload.get("cache_read_input_tokens")),
        count(inputs.get("cache_creation_tokens"))
        or count(payload.get("cache_creation_input_tokens")),
    )


def _inner(payload: dict[str, Json], *keys: str) -> dict[str, Json]:
    return next((inner for key in keys if isinstance(inner := payload.get(key), dict)), {})
