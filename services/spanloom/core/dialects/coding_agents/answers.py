"""Parses texts that coding agents report in their own formats."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.values.attributes import Json, json_object, json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = re.compile(r"^\[(USER|ASSISTANT|SYSTEM|TOOL RESULT: [^\]\n]{1,80})\]\n?", re.MULTILINE)
_ROLES = {"USER": "user", "ASSISTANT": "assistant", "SYSTEM": "system"}


def read_chunks(text: str) -> str:
    """Return a streamed answer of Gemini's API as one message; other text unchanged."""
    chunks = json_value(text) if text.startswith("[") and '"candidates"' in text else None
    if not isinstance(chunks, list):
        return text
    parts = list(_joined(part for chunk in chunks for part in _parts_of(chunk)))
    return json_text([{"role": "model", "parts": parts}]) if parts else ""


def _parts_of(chunk: Json) -> Iterator[Json]:
    candidates = chunk.get("candidates") if isinstance(chunk, dict) else None
    for candidate in candidates[:1] if isinstance(candidates, list) else []:
        content = candidate.get("content") if isinstance(candidate, dict) else None
        parts = content.get("parts") if isinstance(content, dict) else None
        yield from parts if isinstance(parts, list) else []


def _joined(parts: Iterator[Json]) -> Iterator[Json]:
    """Yield the message parts, with consecutive text parts joined into one."""
    pieces: list[str] = []
    for part in parts:
        if isinstance(part, dict) and part.keys() == {"text"} and isinstance(part["text"], str):
            pieces.append(part["text"])
            continue
        if pieces:
            yield {"text": "".join(pieces)}
            pieces = []
        yield part
    if pieces:
        yield {"text": "".join(pieces)}


def read_body(text: str, side: str) -> str:
    """Return the messages in a body of Anthropic's API; ``side`` is ``sent`` or ``received``."""
    body = json_object(text)
    if side == "received":
        return (
            json_text([{"role": "assistant", "content": body["content"]}])
            if body.get("content")
            else text
        )
    messages, system = body.get("messages"), body.get("system")
    if not isinstance(messages, list):
        return text
    first: list[Json] = [{"role": "system", "content": system}] if system else []
    return json_text([*first, *messages])


def read_marked(text: str) -> str:
    """Split a text at lines like ``[USER]`` or ``[TOOL RESULT: id]`` into messages in JSON."""
    marks = list(_MARK.finditer(text))
    if not marks or marks[0].start():
        return text
    ends = [*[mark.start() for mark in marks[1:]], len(text)]
    pairs = zip(marks, ends, strict=True)
    return json_text([_message(mark[1], text[mark.end() : end].strip()) for mark, end in pairs])


def _message(mark: str, content: str) -> Json:
    if mark in _ROLES:
        return {"role": _ROLES[mark], "content": content}
    return {"role": "tool", "tool_call_id": mark.partition(": ")[2], "content": content}


def unmarked_result(text: str) -> str:
    """Return the result of a tool without a line like ``[TOOL RESULT: id]`` at its start."""
    mark = _MARK.match(text)
    return text[mark.end() :].strip() if mark is not None else text
