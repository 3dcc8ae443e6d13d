"""Reads LangChain's texts: token details of messages, and the question of an interrupt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.usage import read_payload
from spanloom.core.messages.wire import as_text
from spanloom.core.values.attributes import Json, count, json_value
from spanloom.core.values.python_repr import objects_as_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.core.model.step import Usage

_DETAILS = '_token_details"'


def find_details(call: Usage, texts: Iterable[str]) -> Usage | None:
    """Return a call's usage with reasoning and cached tokens from a message in ``texts``.

    A message belongs to the call if both have equal token counts. Only texts that contain such
    details are parsed, one by one. Return ``None`` if there is no such message.
    """
    for text in texts:
        if _DETAILS not in text:
            continue
        for reported in _usages(json_value(text)):
            tokens = count(reported.get("input_tokens")), count(reported.get("output_tokens"))
            if tokens == call[:2]:
                return read_payload(reported)
    return None


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


_VALUE = "Interrupt(value="
_NEXT_FIELDS = (", id=", ", resumable=", ", ns=", ", when=")
"""The fields that follow the value in a repr, in different releases."""


def read_question(message: str) -> str:
    """Return the value passed to ``interrupt``, as text or JSON; for several calls a JSON list.

    Python writes a tuple, ``(Interrupt(value='ok?', id='9f'),)``; JavaScript a list,
    ``[{"id": "9f", "value": "ok?"}]``.
    """
    if message.startswith("(Interrupt("):
        listed = objects_as_json(f"[{message[1:-1].rstrip(',')}]")
    elif message.startswith("[") and '"value"' in message:
        listed = message
    else:
        return ""
    items = json_value(listed)
    if isinstance(items, list) and all(isinstance(i, dict) and "value" in i for i in items):
        values = [item["value"] for item in items if isinstance(item, dict)]
        return as_text(values[0] if len(values) == 1 else values)
    return _as_written(message)


def _as_written(message: str) -> str:
    """Return the repr of a value that JSON cannot express: ``<Request object at 0x…>``."""
    start = message.find(_VALUE) + len(_VALUE)
    ends = [end for field in _NEXT_FIELDS if (end := message.find(field, start)) >= 0]
    return message[start : min(ends)] if ends and start >= len(_VALUE) else ""
