"""Converts messages from Spanloom's form to Inspect's form, and back.

In Inspect's form, the arguments of a tool call are an object, and a model's reasoning is a part of
the content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.formats.json_bytes import as_text, dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.turns import text_of
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_ROLES = {"system": "system", "developer": "system", "user": "user", "tool": "tool"}
ASSISTANT = "assistant"
_OF_ALL = frozenset({"role", "content", "reasoning_content"})
_MEMBERS = {
    "system": _OF_ALL,
    "user": _OF_ALL,
    "tool": _OF_ALL | {"tool_call_id", "name", "status"},
    ASSISTANT: _OF_ALL | {"tool_calls"},
}
"""The members that a message can have in Inspect, keyed by role."""
FAILED = "error"
"""The status of a tool message that reports a failure."""


def written(message: Json, losses: Losses, path: str = "") -> Json:
    """Convert a message to Inspect's form; count members that Inspect's message cannot have."""
    role = _ROLES.get(str(message.get("role")), ASSISTANT)
    is_other = role != message.get("role")
    losses.note(Code.METADATA_DROPPED, path, is_other or not message.keys() <= _MEMBERS[role])
    shown: Json = {"role": role, "content": _content(message, losses, path)}
    if role == "tool":
        known = {"tool_call_id": message.get("tool_call_id"), "function": message.get("name")}
        shown |= {name: str(value) for name, value in known.items() if value}
        if message.get("status") == FAILED:
            shown["error"] = {"type": "unknown", "message": text_of(message.get("content"))}
    calls = message.get("tool_calls")
    if role == ASSISTANT and isinstance(calls, list) and calls:
        shown["tool_calls"] = [_call(call, at, losses, path) for at, call in enumerate(calls)]
    return shown


def _content(message: Json, losses: Losses, path: str) -> object:
    content, reasoning = message.get("content"), message.get("reasoning_content")
    if isinstance(content, list):
        parts = [_part(part, losses, path) for part in content]
    elif reasoning and isinstance(content, str) and content:
        parts = [{"type": "text", "text": content}]
    elif reasoning:
        parts = []
    else:
        return as_text(content)
    return [
        *([{"type": "reasoning", "reasoning": as_text(reasoning)}] if reasoning else []),
        *parts,
    ]


def _part(part: object, losses: Losses, path: str) -> Json:
    known: Json = part if isinstance(part, dict) else {"type": "text", "text": as_text(part)}
    kind, image = known.get("type"), known.get("image_url")
    if kind == "text":
        return {"type": "text", "text": as_text(known.get("text"))}
    if kind == "image_url" and isinstance(image, dict) and isinstance(image.get("url"), str):
        return {"type": "image", "image": image["url"]}
    losses.note(Code.PARTS_DROPPED, path)
    return {"type": "text", "text": f"[{kind or 'part'}]"}


def _call(call: Json, at: int, losses: Losses, path: str) -> Json:
    function = call.get("function") if isinstance(call, dict) else None
    named: Json = function if isinstance(function, dict) else {}
    call_id = call.get("id") if isinstance(call, dict) else None
    if not call_id:
        losses.note(Code.CALL_ID_MADE, path)
    shown: Json = {"id": str(call_id or f"{path}.{at}"), "function": as_text(named.get("name"))}
    arguments = named.get("arguments")
    value = json_value(arguments) if isinstance(arguments, str) else arguments
    if isinstance(value, dict):
        return shown | {"arguments": value, "type": "function"}
    losses.note(Code.ARGS_NOT_OBJECT, path)
    return shown | {"arguments": {}, "parse_error": as_text(arguments), "type": "function"}


def read(message: Json) -> Json:
    """Convert a message from Inspect to Spanloom's form; unknown members are left out."""
    role, content = str(message.get("role") or ASSISTANT), message.get("content")
    reasoning, parts = _read_parts(content if isinstance(content, list) else [])
    shown: Json = {
        "role": role,
        "content": parts if isinstance(content, list) else as_text(content),
    }
    if reasoning and (not parts or [part["type"] for part in parts] == ["text"]):
        shown["content"] = parts[0]["text"] if parts else ""  # a text content was written as a part
    if reasoning:
        shown["reasoning_content"] = "\n".join(reasoning)
    if role == "tool":
        known = {"tool_call_id": message.get("tool_call_id"), "name": message.get("function")}
        shown |= {name: str(value) for name, value in known.items() if value}
        if isinstance(error := message.get("error"), dict):
            shown["status"] = FAILED
            shown["content"] = shown["content"] or as_text(error.get("message"))
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        shown["tool_calls"] = [_read_call(call) for call in calls if isinstance(call, dict)]
    return shown


def _read_parts(parts: Sequence[object]) -> tuple[Sequence[str], Sequence[Json]]:
    """Separate the parts of a content: return the reasoning texts, and the other parts."""
    reasoning: list[str] = []
    others: list[Json] = []
    for part in parts:
        known: Json = part if isinstance(part, dict) else {"type": "text", "text": as_text(part)}
        if known.get("type") == "reasoning":
            reasoning.append(as_text(known.get("reasoning")))
        else:
            others.append(_read_part(known))
    return reasoning, others


def _read_part(part: Json) -> Json:
    if part.get("type") == "image" and isinstance(part.get("image"), str):
        return {"type": "image_url", "image_url": {"url": part["image"]}}
    if part.get("type") == "text":
        return {"type": "text", "text": as_text(part.get("text"))}
    return {"type": "text", "text": f"[{part.get('type', 'part')}]"}


def _read_call(call: Json) -> Json:
    error, arguments = call.get("parse_error"), call.get("arguments")
    text = error if isinstance(error, str) else arguments_text(arguments)
    function = {"name": as_text(call.get("function")), "arguments": text}
    return {"id": as_text(call.get("id")), "type": "function", "function": function}


def arguments_text(arguments: object) -> str:
    """Return the arguments of a call as JSON text; a text unchanged."""
    return arguments if isinstance(arguments, str) else dump(arguments).decode()


def read_all(messages: object, losses: Losses | None = None) -> Sequence[Json]:
    """Return the messages of a list; other values are left out.

    If ``losses`` is set, count messages of failed tools whose content lacks the error.
    """
    found: Iterable[Any] = messages if isinstance(messages, list) else ()
    shown = [read(one) for one in found if isinstance(one, dict)]
    for at, (source, message) in enumerate(zip(found, shown, strict=False)) if losses else ():
        error = source.get("error") if isinstance(source, dict) else None
        reason = as_text(error.get("message")) if isinstance(error, dict) else ""
        if losses and reason not in text_of(message["content"]):
            losses.note(Code.METADATA_DROPPED, f"messages.{at}.error")
    return shown
