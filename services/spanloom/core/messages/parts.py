"""Converts the content parts of a message, from any API, to the common form.

Parts are added to a ``Draft`` in order. A tool's result, which Anthropic, Gemini and Bedrock put
inside a user's message, becomes a separate message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.calls import IDS, read_call
from spanloom.core.messages.draft import Draft
from spanloom.core.messages.forms import FINE_STATUSES
from spanloom.core.messages.media import read_media
from spanloom.core.messages.part_kinds import (
    CODE_RESULTS,
    CODES,
    EINO_BLOCKS,
    KEYED_MEDIA,
    KEYED_RESULTS,
    PartKind,
    is_part,
    kind_of,
)
from spanloom.core.messages.thoughts import add_thought
from spanloom.core.messages.wire import (
    as_text,
    compact,
    first_object,
    first_of,
    first_text,
    parse_written,
)
from spanloom.core.messages.written_parts import written_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.core.model.message import Json

_SERVER_ARGUMENTS = ("arguments", "action", "queries", "code", "operation", "server_tool_call")
_SERVER_RESULTS = ("output", "outputs", "results", "error")
_RESULT_KEYS = ("response", "result", "output", "content", "server_tool_call_response")


def read_content(draft: Draft, content: Json) -> None:
    """Add a message's content to the draft: text, one or more parts, or other data as JSON."""
    if isinstance(content, str):
        _read_text(draft, content)
    elif isinstance(content, list):
        for part in content:
            add_part(draft, part)
    elif isinstance(content, dict):
        parts = content.get("parts")
        if isinstance(parts, list):
            read_content(draft, parts)
        elif is_part(content):
            add_part(draft, content)
        else:
            draft.content.append(compact(content))
    elif content is not None:
        draft.content.append(compact(content))


def add_part(draft: Draft, part: Json) -> None:
    """Add one part to the draft; a part of an unknown kind is added unchanged."""
    if not isinstance(part, dict):
        _read_text(draft, as_text(part))
    elif (kind := kind_of(part)) is not None:
        _HANDLERS[kind](draft, part)
    else:
        draft.content.append(part)
        draft.foreign += 1


def _read_text(draft: Draft, text: str) -> None:
    """Add text to the draft; a text that no tool wrote may be parts serialized by an SDK."""
    if draft.role != "tool" and (parts := written_parts(text)):
        read_content(draft, parts)
    elif text:
        draft.content.append(text)


def _add_text(draft: Draft, part: dict[str, Json]) -> None:
    text = part.get("text")
    if isinstance(text, dict):  # Eino's agentic tool results, and Azure's messages
        text = text.get("text") or text.get("value")
    if not isinstance(text, str):
        text = part.get("content")
    if not isinstance(text, str):
        draft.content.append(part)
    elif part.get("thought") is True:
        draft.thoughts.append(text)
    elif rest := {k: v for k, v in part.items() if v and k not in _TEXT_KEYS}:
        draft.content.append({"type": "text", "text": text, **rest})
    else:
        _read_text(draft, text)


_NO_TEXT = ("logprobs", "phase", "openai_extension")
_TEXT_KEYS = frozenset(
    {"type", "block_type", "text", "content", "id", "index", "thought", *_NO_TEXT}
)


def _add_refusal(draft: Draft, part: dict[str, Json]) -> None:
    draft.extras["refusal"] = as_text(part.get("refusal"))


def _add_call(draft: Draft, part: dict[str, Json]) -> None:
    """Add a tool call; OpenLIT puts one of the Responses API into the part's content as JSON."""
    written = parse_written(as_text(part.get("content"))) if "name" not in part else None
    if isinstance(written, dict) and "call_id" in written:
        part = written
    draft.calls.append(read_call(part))


def _add_server_call(draft: Draft, part: dict[str, Json]) -> None:
    """Add a tool call that the provider ran itself, and its result if it was reported."""
    name = first_text(part, ("name",)) or as_text(part.get("type")).removesuffix("_call")
    call_id = as_text(first_of(part, IDS))
    call = {"id": call_id, "name": name, "arguments": first_of(part, _SERVER_ARGUMENTS)}
    draft.calls.append(read_call(call))
    if result := first_of(part, _SERVER_RESULTS):
        _add_result(draft, {"call_id": call_id, "name": name, "output": as_text(result)})


def _add_code(draft: Draft, part: dict[str, Json]) -> None:
    """Add code that Gemini ran, as a tool call."""
    code = first_object(part, CODES)
    draft.calls.append(read_call({"name": "code_execution", "arguments": code}))


def _add_code_result(draft: Draft, part: dict[str, Json]) -> None:
    result = first_object(part, CODE_RESULTS) or {}
    _add_result(
        draft, {"name": "code_execution", "output": first_of(result, ("output", "outcome"))}
    )


def _ignore(draft: Draft, part: dict[str, Json]) -> None:
    """Add nothing to the draft."""


def _add_result(draft: Draft, part: dict[str, Json]) -> None:
    """Finish the message so far, then add the result as a separate message."""
    draft.finish(is_last=False)
    message = Draft(draft.out, "tool")
    read_content(message, _result_content(first_of(part, _RESULT_KEYS)))
    if (call_id := first_of(part, ("tool_use_id", *IDS))) is not None:
        message.extras["tool_call_id"] = as_text(call_id)
    if name := first_text(part, ("name", "toolName", "tool_name")):
        message.extras["name"] = name
    if part.get("is_error") is True or part.get("isError") is True:
        message.extras["status"] = "error"
    elif (status := first_text(part, ("status",))) and status not in FINE_STATUSES:
        message.extras["status"] = status
    message.finish()
    draft.is_begun = True


def _result_content(payload: Json) -> Json:
    """Unwrap Vercel's ``{"type": "json", "value": …}`` and Bedrock's ``[{"json": …}]``."""
    if isinstance(payload, dict) and "value" in payload and isinstance(payload.get("type"), str):
        return payload["value"]
    if isinstance(payload, list):
        if not any(isinstance(item, (dict, str)) for item in payload):
            return compact(payload)  # data that the tool returned, not content parts
        return [
            compact(item["json"]) if isinstance(item, dict) and list(item) == ["json"] else item
            for item in payload
        ]
    return payload


def _add_media(draft: Draft, part: dict[str, Json]) -> None:
    draft.content.append(read_media(part))


def _add_keyed_call(draft: Draft, part: dict[str, Json]) -> None:
    call = first_object(part, ("toolUse", "functionCall", "function_call", "toolRequest")) or part
    draft.calls.append(read_call(call))


def _add_keyed_result(draft: Draft, part: dict[str, Json]) -> None:
    _add_result(draft, first_object(part, tuple(KEYED_RESULTS)) or part)


def _add_keyed_thought(draft: Draft, part: dict[str, Json]) -> None:
    add_thought(draft, first_object(part, ("reasoningContent",)) or part)


def _add_keyed_media(draft: Draft, part: dict[str, Json]) -> None:
    kind = next(key for key in part if key in KEYED_MEDIA and part[key] is not None)
    draft.content.append(read_media({"type": KEYED_MEDIA[kind], **part}))


def _add_genkit_media(draft: Draft, part: dict[str, Json]) -> None:
    media = first_object(part, ("media",)) or part
    address = {"url": media.get("url"), "mimeType": media.get("contentType")}
    draft.content.append(read_media({"type": "media", **address}))


def _add_eino_block(draft: Draft, part: dict[str, Json]) -> None:
    """Add the block of an Eino agentic message, stored under the key that its type names."""
    block_type = as_text(part.get("type"))
    inner = first_object(part, (block_type,)) or {}
    add_part(draft, {**inner, "type": EINO_BLOCKS[block_type]})


_HANDLERS: Mapping[PartKind, Callable[[Draft, dict[str, Json]], None]] = {
    PartKind.TEXT: _add_text,
    PartKind.REFUSAL: _add_refusal,
    PartKind.THOUGHT: add_thought,
    PartKind.CALL: _add_call,
    PartKind.SERVER_CALL: _add_server_call,
    PartKind.RESULT: _add_result,
    PartKind.CODE: _add_code,
    PartKind.CODE_RESULT: _add_code_result,
    PartKind.MEDIA: _add_media,
    PartKind.IGNORED: _ignore,
    PartKind.EINO_BLOCK: _add_eino_block,
    PartKind.KEYED_CALL: _add_keyed_call,
    PartKind.KEYED_RESULT: _add_keyed_result,
    PartKind.KEYED_THOUGHT: _add_keyed_thought,
    PartKind.KEYED_MEDIA: _add_keyed_media,
    PartKind.GENKIT_MEDIA: _add_genkit_media,
}
