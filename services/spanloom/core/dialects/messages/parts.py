"""The parts of a message's content, of every API, gathered into messages of one shape.

A ``Draft`` takes parts in order. Texts and media stay content; thoughts and tool calls go to
keys of their own; a tool's result, which Anthropic, Gemini and Bedrock put inside a user's
message, becomes a message of its own. A part of an unknown kind stays content as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.messages.calls import IDS, read_call
from spanloom.core.dialects.messages.media import read_media
from spanloom.core.dialects.messages.wire import (
    as_text,
    compact,
    first_list,
    first_object,
    first_of,
    first_text,
    parse_written,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.message import Json

_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})
_THOUGHTS = frozenset({"reasoning", "thinking", "redacted_thinking", "redacted-reasoning"})
_CALLS = frozenset({"tool_call", "tool-call", "tool_use", "function_call", "custom_tool_call"})
_RESULTS = frozenset(
    {"tool_call_response", "tool_result", "tool-result", "tool_response"}
    | {"function_call_output", "custom_tool_call_output"}
)
_MEDIA = frozenset(
    {"image_url", "image", "input_image", "audio", "input_audio", "video", "video_url"}
    | {"file", "input_file", "document", "blob", "uri", "media"}
)
_FINE = frozenset({"success", "completed", "ok"})


class Draft:
    """A message while its parts are read; what is finished goes to ``out``."""

    __slots__ = ("calls", "content", "extras", "is_begun", "out", "role", "secrets", "thoughts")

    def __init__(self, out: list[Json], role: str) -> None:
        """Begin a message of the role."""
        self.out = out
        self.role = role
        self.content: list[Json] = []
        self.thoughts: list[str] = []
        self.secrets: list[Json] = []
        self.calls: list[dict[str, Json]] = []
        self.extras: dict[str, Json] = {}
        self.is_begun = False

    def read(self, content: Json) -> None:
        """Take a message's content: text, a list of parts, one part, or data, as JSON text."""
        if isinstance(content, str):
            self.read_text(content)
        elif isinstance(content, list):
            for part in content:
                self.add(part)
        elif isinstance(content, dict):
            parts = content.get("parts")
            if isinstance(parts, list):
                self.read(parts)
            elif is_part(content):
                self.add(content)
            else:
                self.content.append(compact(content))
        elif content is not None:
            self.content.append(compact(content))

    def add(self, part: Json) -> None:
        """Take one part."""
        if isinstance(part, dict):
            handler = _find_handler(part)
            if handler is None:
                self.content.append(part)
            else:
                handler(self, part)
        else:
            self.read_text(as_text(part))

    def read_text(self, text: str) -> None:
        """Take text; what is not a tool's may be parts that an SDK wrote out."""
        if self.role != "tool" and (parts := _written_parts(text)):
            self.read(parts)
        elif text:
            self.content.append(text)

    def finish(self, *, is_last: bool = True) -> None:
        """Put the message out, unless all that it had was a tool's result."""
        says = self.content or self.calls or self.thoughts or self.secrets
        if not says and (self.is_begun or not is_last):
            return
        message: dict[str, Json] = {"role": self.role, "content": _simplify(self.content)}
        if self.thoughts:
            message["reasoning_content"] = "\n".join(self.thoughts)
        if self.calls:
            # Named twice, in a part and beside the content, a call is one: the last tells it best.
            once = {call.get("id", n): call for n, call in enumerate(self.calls)}
            message["tool_calls"] = list(once.values())
        if self.secrets:
            message["reasoning_details"] = self.secrets
        message.update(self.extras)
        self.out.append(message)
        self.content, self.thoughts, self.secrets, self.calls = [], [], [], []
        self.extras = {}
        self.is_begun = True


def may_hold_parts(text: str) -> bool:
    """Tell at a glance whether a text may be parts that an SDK wrote out."""
    return text.startswith(("[{", '{"', "{'"))


def _written_parts(text: str) -> list[Json]:
    """Give the parts that a text lists, or the one item of the Responses API that it is."""
    written = parse_written(text) if may_hold_parts(text) else None
    if isinstance(written, dict):
        return [written] if _ITEM_MARKS.get(as_text(written.get("type"))) in written else []
    return written if written and all(map(is_part, written)) else []


_ITEM_MARKS = {"reasoning": "summary", "function_call": "call_id"}


def is_part(value: Json) -> bool:
    """Tell whether the value is a content part of a kind that is known."""
    return isinstance(value, dict) and _find_handler(value) is not None


def is_call_or_thought(part: dict[str, Json]) -> bool:
    """Tell whether only an assistant can have said the part."""
    handler = _find_handler(part)
    return handler is _add_call or handler is _add_thought or handler is _add_keyed_call


def _simplify(content: list[Json]) -> Json:
    """Give one text as it is, parts as a list, and what has no part in it as JSON text."""
    if not content:
        return ""
    if len(content) == 1 and isinstance(content[0], str):
        return content[0]
    if not any(isinstance(part, str) or is_part(part) for part in content):
        return compact(content)
    return [{"type": "text", "text": p} if isinstance(p, str) else p for p in content]


def _find_handler(part: dict[str, Json]) -> Callable[[Draft, dict[str, Json]], None] | None:
    part_type = part.get("type") or part.get("block_type")
    if isinstance(part_type, str):
        return _BY_TYPE.get(part_type)
    if "role" in part:
        return None
    return next((_BY_KEY[key] for key in part if key in _BY_KEY), None)


def _add_text(draft: Draft, part: dict[str, Json]) -> None:
    text = part.get("text")
    if isinstance(text, dict):  # Eino's agentic tool results
        text = text.get("text")
    if not isinstance(text, str):
        text = part.get("content")
    if not isinstance(text, str):
        draft.content.append(part)
    elif part.get("thought") is True:
        draft.thoughts.append(text)
    elif rest := {k: v for k, v in part.items() if v and k not in _TEXT_KEYS}:
        draft.content.append({"type": "text", "text": text, **rest})
    else:
        draft.read_text(text)


_NO_TEXT = ("logprobs", "phase", "openai_extension")
_TEXT_KEYS = frozenset(
    {"type", "block_type", "text", "content", "id", "index", "thought", *_NO_TEXT}
)


def _add_refusal(draft: Draft, part: dict[str, Json]) -> None:
    draft.extras["refusal"] = as_text(part.get("refusal"))


def _add_thought(draft: Draft, part: dict[str, Json]) -> None:
    """Take the text of a thought; a signature or encrypted thoughts are kept beside it."""
    said = first_object(part, ("reasoningText", "reasoning")) or part
    if text := _thought_text(said):
        draft.thoughts.append(text)
    if rest := {k: v for k, v in said.items() if v and k not in _THOUGHT_KEYS}:
        draft.secrets.append({"type": "reasoning", **rest})


_THOUGHT_KEYS = frozenset(
    {"type", "block_type", "thinking", "reasoning", "text", "content", "summary", "id"}
    | {"index", "status"}
)


def _thought_text(said: dict[str, Json]) -> str:
    if text := first_text(said, ("thinking", "reasoning", "text", "content")):
        written = parse_written(text)
        if isinstance(written, dict):
            written = first_list(written, ("content", "summary"))
        return _joined(written or []) or text
    return _joined(first_list(said, ("content", "summary")) or [])


def _joined(items: list[Json]) -> str:
    return "\n".join(
        text for item in items if isinstance(item, dict) and (text := first_text(item, ("text",)))
    )


def _add_call(draft: Draft, part: dict[str, Json]) -> None:
    """Take a call; OpenLIT writes one of the Responses API out as the part's content."""
    written = parse_written(as_text(part.get("content"))) if "name" not in part else None
    if isinstance(written, dict) and "call_id" in written:
        part = written
    draft.calls.append(read_call(part))


def _add_result(draft: Draft, part: dict[str, Json]) -> None:
    """Put out what came before, then the result as a message of its own."""
    draft.finish(is_last=False)
    message = Draft(draft.out, "tool")
    message.read(_result_content(first_of(part, ("response", "result", "output", "content"))))
    if (call_id := first_of(part, ("tool_use_id", *IDS))) is not None:
        message.extras["tool_call_id"] = as_text(call_id)
    if name := first_text(part, ("name", "toolName", "tool_name")):
        message.extras["name"] = name
    if part.get("is_error") is True or part.get("isError") is True:
        message.extras["status"] = "error"
    elif (status := first_text(part, ("status",))) and status not in _FINE:
        message.extras["status"] = status
    message.finish()
    draft.is_begun = True


def _result_content(said: Json) -> Json:
    """Take Vercel's ``{"type": "json", "value": …}`` and Bedrock's ``[{"json": …}]`` apart."""
    if isinstance(said, dict) and "value" in said and isinstance(said.get("type"), str):
        return said["value"]
    if isinstance(said, list):
        return [
            compact(item["json"]) if isinstance(item, dict) and list(item) == ["json"] else item
            for item in said
        ]
    return said


def _add_media(draft: Draft, part: dict[str, Json]) -> None:
    draft.content.append(read_media(part))


def _add_keyed_call(draft: Draft, part: dict[str, Json]) -> None:
    call = first_object(part, ("toolUse", "functionCall", "function_call")) or part
    draft.calls.append(read_call(call))


def _add_keyed_result(draft: Draft, part: dict[str, Json]) -> None:
    _add_result(draft, first_object(part, tuple(_KEYED_RESULTS)) or part)


def _add_keyed_thought(draft: Draft, part: dict[str, Json]) -> None:
    _add_thought(draft, first_object(part, ("reasoningContent",)) or part)


def _add_keyed_media(draft: Draft, part: dict[str, Json]) -> None:
    kind = next(key for key in part if key in _KEYED_MEDIA)
    draft.content.append(read_media({"type": _KEYED_MEDIA[kind], **part}))


def _add_eino_block(draft: Draft, part: dict[str, Json]) -> None:
    """Take the block of an Eino agentic message out of the key that its type names."""
    block_type = as_text(part.get("type"))
    inner = first_object(part, (block_type,)) or {}
    draft.add({**inner, "type": _EINO_BLOCKS[block_type]})


_EINO_BLOCKS = {
    "user_input_text": "text",
    "assistant_gen_text": "text",
    "function_tool_call": "tool_call",
    "function_tool_result": "tool_result",
    "user_input_image": "image",
    "user_input_audio": "audio",
    "user_input_video": "video",
    "user_input_file": "file",
    "assistant_gen_image": "image",
    "assistant_gen_audio": "audio",
    "assistant_gen_video": "video",
}
_KEYED_RESULTS = ("toolResult", "functionResponse", "function_response")
_KEYED_MEDIA = {
    "inlineData": "media",
    "inline_data": "media",
    "fileData": "media",
    "file_data": "media",
    "image": "image",
}

_BY_TYPE: dict[str, Callable[[Draft, dict[str, Json]], None]] = {
    **dict.fromkeys(_TEXTS, _add_text),
    **dict.fromkeys(_THOUGHTS, _add_thought),
    **dict.fromkeys(_CALLS, _add_call),
    **dict.fromkeys(_RESULTS, _add_result),
    **dict.fromkeys(_MEDIA, _add_media),
    **dict.fromkeys(_EINO_BLOCKS, _add_eino_block),
    "refusal": _add_refusal,
}
_BY_KEY: dict[str, Callable[[Draft, dict[str, Json]], None]] = {
    "text": _add_text,
    "toolUse": _add_keyed_call,
    "functionCall": _add_keyed_call,
    "function_call": _add_keyed_call,
    "tool_kwargs": _add_call,
    **dict.fromkeys(_KEYED_RESULTS, _add_keyed_result),
    "reasoningContent": _add_keyed_thought,
    **dict.fromkeys(_KEYED_MEDIA, _add_keyed_media),
}
"""Gemini's, Bedrock's and LlamaIndex's parts have no type: a key tells."""
