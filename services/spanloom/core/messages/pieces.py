"""Convert tool calls, images and files, and thoughts of messages from any API.

JSON has bytes as base64 text, which is passed on unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.wire import (
    as_text,
    first_object,
    first_of,
    first_text,
    parse_composite,
    parse_written,
)
from spanloom.core.values.attributes import unquoted
from spanloom.core.values.python_repr import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.messages.draft import Draft
    from spanloom.core.model.message import Json

NAMES = ("name", "toolName", "tool_name")
ARGUMENTS = ("arguments", "args", "input", "tool_kwargs", "function_call_arguments_json")
NO_ARGUMENTS = "{}"
"""The arguments of a call without arguments, which some senders write as empty text."""
IDS = ("call_id", "toolCallId", "tool_call_id", "toolUseId", "id", "ref")
"""Keys of a call's id, the preferred first: in the Responses API, results refer to ``call_id``."""

_READ_OF_CALL = frozenset(
    {*NAMES, *ARGUMENTS, *IDS, "function", "custom", "type", "index", "status"}
)


def read_call(payload: dict[str, Json]) -> dict[str, Json]:
    """Return the converted call; fields other than id, name and arguments are left unchanged."""
    function = first_object(payload, ("function", "custom")) or payload
    if function is not payload and _is_canonical(payload, function):
        return payload
    call: dict[str, Json] = {}
    if (call_id := first_of(payload, IDS)) is not None:
        call["id"] = as_text(call_id)
    call["type"] = "function"
    call["function"] = {
        "name": first_text(function, NAMES),
        "arguments": as_text(_unwrapped(first_of(function, ARGUMENTS))) or NO_ARGUMENTS,
    }
    call.update(
        {key: value for key, value in payload.items() if value and key not in _READ_OF_CALL}
    )
    return call


def _unwrapped(arguments: Json) -> Json:
    """Return arguments decoded to the JSON of an object or a list, if they were encoded repeatedly.

    Python's ``{'a': None}`` becomes JSON. For OpenLLMetry's ``{"_raw": "{broken"}``, return the
    invalid JSON text in it.
    """
    if isinstance(arguments, dict) and arguments.keys() == {"_raw"}:
        return arguments["_raw"]
    if isinstance(arguments, str) and arguments.startswith('"') and arguments.endswith('"'):
        inner = arguments
        while (text := unquoted(inner)) is not inner:  # each layer is shorter
            inner = text
        return inner if parse_composite(inner) is not None else arguments
    if isinstance(arguments, str) and arguments.startswith("{'"):
        return as_json(arguments)
    return arguments


def _is_canonical(payload: dict[str, Json], function: dict[str, Json]) -> bool:
    return (
        payload.get("type") == "function"
        and payload.keys() <= _CANONICAL
        and function.keys() == _FUNCTION
        and isinstance(function["name"], str)
        and isinstance(function["arguments"], str)
        and function["arguments"][:1] not in ("", '"')
        and function["arguments"][:2] != "{'"
        and isinstance(payload.get("id", ""), str)
        and payload.get("id") != ""
    )


_CANONICAL = frozenset({"id", "type", "function"})
_FUNCTION = frozenset({"name", "arguments"})


def read_calls(calls: Json) -> Iterator[dict[str, Json]]:
    """Yield the converted calls of a list, of a single call, or of JSON text of either."""
    if isinstance(calls, str):
        calls = parse_composite(calls)
    if isinstance(calls, list):
        yield from (read_call(item) for item in calls if isinstance(item, dict))
    elif isinstance(calls, dict):
        yield read_call(calls)


_MIME_TYPES = ("mime_type", "mimeType", "media_type", "mediaType")
_ADDRESSES = ("url", "uri", "fileUri", "file_uri", "file_url", "file_data")
_BYTES = ("base64", "base64data", "data", "bytes")
_NESTED = ("image_url", "image", "source", "inlineData", "inline_data", "fileData", "file_data")
_TEXT_ADDRESSES = ("image_url", "image", "audio_url")
_READ_OF_MEDIA = frozenset(
    {*_MIME_TYPES, *_ADDRESSES, *_BYTES, *_NESTED, *_TEXT_ADDRESSES}
    | {"type", "modality", "format", "source_type", "filename", "content", "id", "index"}
)
_AUDIO_FORMATS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def read_media(payload: dict[str, Json]) -> dict[str, Json]:
    """Return the part in OpenAI's form; a part in an unknown form is returned unchanged."""
    if (detail := _known_form(payload)) is not None:
        return detail
    kind = first_text(payload, ("modality", "type")).removeprefix("input_")
    address, mime_type = _locate(payload)
    if not address:
        return payload
    rest = {key: value for key, value in payload.items() if value and key not in _READ_OF_MEDIA}
    return _known_part(payload, kind, mime_type, address) | rest


def _known_part(
    payload: dict[str, Json], kind: str, mime_type: str, address: str
) -> dict[str, Json]:
    if kind.startswith("image") or mime_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": address}}
    start, comma, data = address.partition(";base64,")
    if comma and start.removeprefix("data:") in _AUDIO_FORMATS:
        audio_format = _AUDIO_FORMATS[start.removeprefix("data:")]
        return {"type": "input_audio", "input_audio": {"data": data, "format": audio_format}}
    return {"type": "file", "file": _file(payload, address, is_inline=bool(comma))}


def _known_form(payload: dict[str, Json]) -> dict[str, Json] | None:
    """Return the part if it has OpenAI's form, or an image's URL as bare text; else ``None``."""
    part_type = payload.get("type")
    if part_type == "image_url" and isinstance(payload.get("image_url"), str):
        return {**payload, "image_url": {"url": payload["image_url"]}}
    if isinstance(part_type, str) and isinstance(payload.get(part_type), dict):
        own = part_type in ("image_url", "input_audio", "file")
        return payload if own else None
    return None


def _file(payload: dict[str, Json], address: str, *, is_inline: bool) -> dict[str, Json]:
    file: dict[str, Json] = {"file_data" if is_inline else "file_url": address}
    if name := first_text(payload, ("filename",)):
        file["filename"] = name
    return file


def _locate(payload: dict[str, Json]) -> tuple[str, str]:
    """Return the URL (for bytes a data URL) and the media type, from any level of the part."""
    mime_type = ""
    part: dict[str, Json] | None = payload
    while part is not None:
        mime_type = first_text(part, _MIME_TYPES) or _image_format(part) or mime_type
        if address := first_text(part, _ADDRESSES) or _text_address(part):
            return address, mime_type
        if data := _bytes(part):
            return _data_url(data, mime_type), mime_type
        part = first_object(part, _NESTED)
    return "", mime_type


def _bytes(part: dict[str, Json]) -> str:
    """Return the base64 bytes; empty for Anthropic's plain text documents of type ``text``."""
    part_type = part.get("type")
    if part_type == "text":
        return ""
    return first_text(part, ("content",) if part_type == "blob" else _BYTES)


def _image_format(part: dict[str, Json]) -> str:
    """Return the media type from Bedrock's ``{"format": "png"}``, else an empty text."""
    image_format = part.get("format")
    return f"image/{image_format}" if isinstance(image_format, str) and image_format else ""


def _text_address(part: dict[str, Json]) -> str:
    """Return the URL of an image reported as text, or its bytes (from Vercel) as a data URL."""
    address = first_text(part, _TEXT_ADDRESSES)
    return _data_url(address, "") if address else ""


def _data_url(data: str, mime_type: str) -> str:
    if data.startswith("data:") or "://" in data[:32]:
        return data
    return f"data:{mime_type or 'application/octet-stream'};base64,{data}"


def add_thought(draft: Draft, part: dict[str, Json]) -> None:
    """Add the text of a thought; a signature or encrypted thoughts are added to ``secrets``."""
    thought = first_object(part, ("reasoningText", "reasoning")) or part
    if text := _thought_text(thought):
        draft.thoughts.append(text)
    if rest := {k: v for k, v in thought.items() if v and k not in _THOUGHT_KEYS}:
        draft.secrets.append({"type": "reasoning", **rest})


_THOUGHT_KEYS = frozenset(
    {"type", "block_type", "thinking", "reasoning", "text", "content", "summary", "id"}
    | {"index", "status"}
)


def _thought_text(payload: dict[str, Json]) -> str:
    if text := first_text(payload, ("thinking", "reasoning", "text", "content")):
        written = parse_written(text)
        if isinstance(written, dict):
            return _listed_text(written) or text
        return join_texts(written) or text
    lists = (join_texts(payload.get(key)) for key in ("thinking", "reasoning", "text"))
    return _listed_text(payload) or next(filter(None, lists), "")  # lists are Mistral's format


def _listed_text(payload: dict[str, Json]) -> str:
    """Return the text of ``content`` or ``summary``; the Responses API leaves one of them empty."""
    return join_texts(payload.get("content")) or join_texts(payload.get("summary"))


def join_texts(items: Json) -> str:
    """Return the texts of a list of parts, joined by line breaks; empty for any other value."""
    parts = items if isinstance(items, list) else []
    return "\n".join(
        text for item in parts if isinstance(item, dict) and (text := first_text(item, ("text",)))
    )
