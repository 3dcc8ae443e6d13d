"""Resolves references in a log: long texts (``attachments``) and repeated messages.

In newer logs a sample has each message once, in ``events_data.messages``; its events refer to them
by ranges of indexes: ``input_refs: [[0, 3]]`` are the messages 0, 1 and 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json

_PREFIX = "attachment://"
DEEPEST = 200
"""Maximum nesting at which references are resolved."""
MOST_CHARS = 64 << 20
"""Maximum characters that references may add to a sample; a text may be referenced repeatedly."""


def resolved(sample: Json) -> Json:
    """Return the sample with its references replaced by texts and messages.

    Raises ``InvalidRequestError`` if that adds more than ``MOST_CHARS``.
    """
    attachments = sample.get("attachments")
    budget = _Budget(attachments if isinstance(attachments, dict) else {})
    kept = {k: v for k, v in sample.items() if k not in ("attachments", "events_data")}
    whole: Json = budget.put_back(kept) if budget.texts else kept
    pool = _pool(sample, budget)
    events = whole.get("events")
    if pool and isinstance(events, list):
        whole["events"] = [_with_input(event, pool, budget) for event in events]
    return whole


class _Budget:
    """Replaces references by texts; raises an error if that adds more than ``MOST_CHARS``."""

    def __init__(self, texts: Mapping[str, object]) -> None:
        self.texts = texts
        self._left = MOST_CHARS

    def spend(self, chars: int) -> None:
        self._left -= chars
        if self._left < 0:
            raise InvalidRequestError(f"attachments: they make more than {MOST_CHARS:,} characters")

    def put_back(self, value: Any, depth: int = 0) -> Any:  # any JSON value
        if isinstance(value, str):
            return self._text(value) if value.startswith(_PREFIX) else value
        if depth > DEEPEST:
            return value
        if isinstance(value, dict):
            return {key: self.put_back(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [self.put_back(item, depth + 1) for item in value]
        return value

    def _text(self, reference: str) -> str:
        text = self.texts.get(reference.removeprefix(_PREFIX))
        if not isinstance(text, str):
            return reference
        self.spend(len(text))
        return text


def _pool(sample: Json, budget: _Budget) -> Sequence[Any]:  # any JSON value
    data = sample.get("events_data")
    messages = data.get("messages") if isinstance(data, dict) else None
    return budget.put_back(messages) if isinstance(messages, list) else ()


def _with_input(event: Any, pool: Sequence[Any], budget: _Budget) -> Any:  # any JSON values
    ranges = event.get("input_refs") if isinstance(event, dict) else None
    if not isinstance(ranges, list) or event.get("input"):
        return event
    found: list[Any] = []
    for one in ranges:
        if (
            isinstance(one, list) and len(one) == 2 and all(isinstance(n, int) for n in one)
        ):  # begin and end
            chosen = pool[max(one[0], 0) : max(one[1], 0)]
            budget.spend(len(chosen))
            found += chosen
    return {**event, "input": found}
