"""Reads Eino's output messages: tokens, for spans without usage, and streamed pieces.

A message has ``"response_meta": {"usage": {"prompt_tokens": 533, …}}``. The output is a message, a
list of them, ``{"choices": [{"message": …}]}`` or ``{"stream": […]}`` with the usage in the last
piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.langfuse.facts import read_usage
from spanloom.core.model.trajectory import Usage
from spanloom.core.values.attributes import Json, json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = '"response_meta"'
_LISTS = ("choices", "stream")


def read_answer_usage(output: str) -> Usage:
    """Return the usage in the last message's ``response_meta``; zeros if no message has one."""
    usages = list(_usages(json_value(output))) if _MARK in output else []
    return read_usage(usages[-1]) if usages else Usage()


def _usages(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, dict):
        items = next((i for key in _LISTS if isinstance(i := value.get(key), list)), [value])
    else:
        items = value if isinstance(value, list) else []
    for item in items:
        inner = item.get("message") if isinstance(item, dict) else None
        message = inner if isinstance(inner, dict) else item
        meta = message.get("response_meta") if isinstance(message, dict) else None
        usage = meta.get("usage") if isinstance(meta, dict) else None
        if isinstance(usage, dict):
            yield usage


def join_pieces(output: str) -> str:
    """Return a streamed answer as one message, any other output unchanged."""
    pieces = json_value(output) if output.startswith('[{"role":"assistant"') else None
    if not isinstance(pieces, list) or len(pieces) == 1:
        return output
    texts = [p.get("content") for p in pieces if isinstance(p, dict) and "tool_calls" not in p]
    plain = [text for text in texts if isinstance(text, str)]
    whole: Json = {"role": "assistant", "content": "".join(plain)}
    return json_text(whole) if len(plain) == len(pieces) else output
