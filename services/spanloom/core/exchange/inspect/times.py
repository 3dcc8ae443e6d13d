"""Converts times from and to RFC 3339, and token counts from and to Inspect's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.step import Usage
from spanloom.core.values.moments import iso_nanoseconds, rfc3339_ms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.formats.json_bytes import Json


def moment(ms: int) -> str:
    """Return milliseconds since the epoch as RFC 3339: ``2024-05-11T04:00:00.010+00:00``."""
    return rfc3339_ms(ms).replace("Z", "+00:00")  # the form in Inspect's own logs


def milliseconds(text: object) -> int | None:
    """Return an RFC 3339 time in milliseconds since the epoch; ``None`` for any other value."""
    found = iso_nanoseconds(text)
    return None if found is None else found // 1_000_000


def written_usage(tokens: Mapping[str, object]) -> Json:
    """Convert ``model_info`` to Inspect's usage, in which input tokens exclude cached tokens."""
    names = ("input_tokens", "output_tokens", "reasoning_tokens")
    cached = ("input_read_cached_tokens", "input_creation_cached_tokens")
    all_in, out, reasoning = (_count(tokens.get(name)) for name in names)
    read, made = (_count(tokens.get(name)) for name in cached)
    return {
        "input_tokens": max(0, all_in - read - made),
        "output_tokens": out,
        "total_tokens": max(all_in, read + made) + out,
        "input_tokens_cache_write": made,
        "input_tokens_cache_read": read,
        "reasoning_tokens": reasoning,
    }


def read_usage(usage: object) -> Usage | None:
    """Convert Inspect's usage to token counts; ``None`` if none are reported."""
    if not isinstance(usage, dict):
        return None
    read, made = (_count(usage.get(f"input_tokens_cache_{name}")) for name in ("read", "write"))
    return Usage(
        _count(usage.get("input_tokens")) + read + made,
        _count(usage.get("output_tokens")),
        _count(usage.get("reasoning_tokens")),
        read,
        made,
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
