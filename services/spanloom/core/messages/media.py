"""Converts images, audio and files in messages from any API.

JSON has bytes as base64 text, which is passed on unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.wire import first_object, first_text

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

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
