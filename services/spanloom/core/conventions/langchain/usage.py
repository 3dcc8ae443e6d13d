"""Read token details from LangChain's messages, for dialects whose model spans lack them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Usage
from spanloom.core.values.attributes import Json, count, json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DETAILS = '_token_details"'


def find_details(call: Usage, texts: Iterable[str]) -> Usage | None:
    """Return the usage with reasoning and cached tokens that a message in ``texts`` reports.

    A message belongs to the call if its token counts are equal. Texts are parsed one by one, only
    if they contain such details. Return ``None`` if there is no such message.
    """
    for text in texts:
        if _DETAILS not in text:
            continue
        for reported in _usages(json_value(text)):
            tokens = count(reported.get("input_tokens")), count(reported.get("output_tokens"))
            if tokens == call[:2]:
                return read_usage(reported)
    return None


def read_usage(payload: dict[str, Json]) -> Usage:
    """Return a message's ``usage_metadata``: ``input_tokens``, ``output_tokens``, details."""
    return Usage(
        count(payload.get("input_tokens")),
        count(payload.get("output_tokens")),
        _detail(payload, "output_token_details", "reasoning"),
        _detail(payload, "input_token_details", "cache_read"),
        _detail(payload, "input_token_details", "cache_creation"),
    )


def _detail(payload: dict[str, Json], side: str, name: str) -> int:
    details = payload.get(side)
    return count(details.get(name)) if isinstance(details, dict) else 0


def _usages(value: Json) -> Iterator[dict[str, Json]]:
    """Yield all ``usage_metadata``, without recursion: JSON may be a thousand levels deep."""
    pending: list[Json] = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(reversed(value))
        elif isinstance(value, dict):
            if isinstance(reported := value.get("usage_metadata"), dict):
                yield reported
            pending.extend(reversed(value.values()))
