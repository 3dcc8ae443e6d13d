"""Convert the content parts of a message, from any API, to the common form.

Parts are added to a ``Draft`` in order. A tool's result, which Anthropic, Gemini and Bedrock put
inside a user's message, becomes a separate message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.draft import Draft
from spanloom.core.messages.objects import OBJECT_STARTS, may_be_object, object_parts
from spanloom.core.messages.pieces import IDS, add_thought, read_call, read_media
from spanloom.core.messages.wire import (
    as_text,
    compact,
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
_CALLS = frozenset(
    {"tool_call", "tool-call", "tool_use", "function_call", "custom_tool_call"}
    | {"server_tool_use", "mcp_tool_use", "toolCall", "mcp_approval_request"}
)
_SERVER_CALLS = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "mcp_call", "computer_call"}
    | {"image_generation_call", "local_shell_call", "shell_call", "apply_patch_call"}
    | {"server_tool_call"}
)
"""Types of calls that the provider runs itself while the model answers: items of the Responses
API, and parts of the GenAI conventions."""
_SERVER_ARGUMENTS = ("arguments", "action", "queries", "code", "operation", "server_tool_call")
_SERVER_RESULTS = ("output", "outputs", "results", "error")
_RESULT_KEYS = ("response", "result", "output", "content", "server_tool_call_response")
_NO_ANSWERS = frozenset({"mcp_list_tools", "compaction", "item_reference"})
"""Items of the Responses API that do not belong to the conversation."""
_RESULTS = frozenset(
    {"tool_call_response", "tool_result", "tool-result", "tool_response", "toolResult"}
    | {"server_tool_call_response"}
    | {"function_call_output", "custom_tool_call_output"}
    | {"web_search_tool_result", "web_fetch_tool_result", "mcp_tool_result"}
    | {"code_execution_tool_result", "bash_code_execution_tool_result"}
    | {"text_editor_code_execution_tool_result", "tool_search_tool_result"}
)
_MEDIA = frozenset(
    {"image_url", "image", "input_image", "audio", "input_audio", "video", "video_url"}
    | {"file", "input_file", "document", "blob", "uri", "media", "image_content", "audio_content"}
)
_FINE = frozenset({"success", "completed", "ok"})


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
    elif (handler := _find_handler(part)) is not None:
        handler(draft, part)
    else:
        draft.content.append(part)
        draft.foreign += 1


def _read_text(draft: Draft, text: str) -> None:
    """Add text to the draft; text that is not a tool's may be parts serialized by an SDK."""
    if draft.role != "tool" and (parts := _written_parts(text)):
        read_content(draft, parts)
    elif text:
        draft.content.append(text)


def may_hold_parts(text: str) -> bool:
    """Return whether a text may be parts that an SDK serialized: ``[{"type": "text", …``."""
    return text.startswith(_STARTS)


_STARTS = ("[{", '{"', "{'", *OBJECT_STARTS)


def read_objects(text: str) -> list[Json]:
    """Return the parts in the repr of one or more objects; empty for any other text."""
    parts = object_parts(text)
    return parts if all(isinstance(part, str) or is_part(part) for part in parts) else []


def _written_parts(text: str) -> list[Json]:
    """Return the parts that a text serializes: a list, or a single item or block of an API."""
    if may_be_object(text):
        return read_objects(text)
    written = parse_written(text) if may_hold_parts(text) else None
    if isinstance(written, dict):
        return [written] if _ITEM_MARKS.get(as_text(written.get("type"))) in written else []
    return written if written and all(map(is_part, written)) else []


_ITEM_MARKS = {
    "reasoning": "summary",
    "function_call": "call_id",
    "thinking": "signature",
    "tool_use": "input",
}
"""The key that a part of each type must have; JSON without this key was written by a model."""


def is_part(value: Json) -> bool:
    """Return whether the value is a content part of a known kind."""
    return isinstance(value, dict) and _find_handler(value) is not None


def is_call_or_thought(part: dict[str, Json]) -> bool:
    """Return whether only an assistant can send the part: a tool call or a thought."""
    handler = _find_handler(part)
    return handler in _OF_ASSISTANTS


def _find_handler(part: dict[str, Json]) -> Callable[[Draft, dict[str, Json]], None] | None:
    part_type = part.get("type") or part.get("block_type")
    if isinstance(part_type, str):
        return _BY_TYPE.get(part_type)
    if "role" in part:
        return None
    return next((_BY_KEY[key] for key in part if key in _BY_KEY and _is_kind(part, key)), None)


def _is_kind(part: dict[str, Json], key: str) -> bool:
    """Return whether a key identifies the part's kind.

    JSON that a model wrote may have Genkit's keys, too: ``{"reasoning": "…", "label": "A"}``.
    """
    if key == "media" and not isinstance(part[key], dict):
        return False
    rest = part.keys() - {key, *_NEXT_TO_IT} if key in _OF_GENKIT else ()
    return part[key] is not None and all(part[other] is None for other in rest)


_OF_GENKIT = frozenset({"reasoning", "media"})
_NEXT_TO_IT = ("metadata", "custom")
"""Keys that Genkit adds to ``_OF_GENKIT`` parts for details such as a thought's signature."""


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
    """Add a call; OpenLIT puts a call of the Responses API into the part's content as JSON."""
    written = parse_written(as_text(part.get("content"))) if "name" not in part else None
    if isinstance(written, dict) and "call_id" in written:
        part = written
    draft.calls.append(read_call(part))


def _add_server_call(draft: Draft, part: dict[str, Json]) -> None:
    """Add a call that the provider ran itself, and its result if it was reported."""
    name = first_text(part, ("name",)) or as_text(part.get("type")).removesuffix("_call")
    call_id = as_text(first_of(part, IDS))
    call = {"id": call_id, "name": name, "arguments": first_of(part, _SERVER_ARGUMENTS)}
    draft.calls.append(read_call(call))
    if result := first_of(part, _SERVER_RESULTS):
        _add_result(draft, {"call_id": call_id, "name": name, "output": as_text(result)})


def _add_code(draft: Draft, part: dict[str, Json]) -> None:
    """Add code that Gemini ran, as a tool call."""
    code = first_object(part, _CODES)
    draft.calls.append(read_call({"name": "code_execution", "arguments": code}))


def _add_code_result(draft: Draft, part: dict[str, Json]) -> None:
    result = first_object(part, _CODE_RESULTS) or {}
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
    elif (status := first_text(part, ("status",))) and status not in _FINE:
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
    _add_result(draft, first_object(part, tuple(_KEYED_RESULTS)) or part)


def _add_keyed_thought(draft: Draft, part: dict[str, Json]) -> None:
    add_thought(draft, first_object(part, ("reasoningContent",)) or part)


def _add_keyed_media(draft: Draft, part: dict[str, Json]) -> None:
    kind = next(key for key in part if key in _KEYED_MEDIA and part[key] is not None)
    draft.content.append(read_media({"type": _KEYED_MEDIA[kind], **part}))


def _add_genkit_media(draft: Draft, part: dict[str, Json]) -> None:
    media = first_object(part, ("media",)) or part
    address = {"url": media.get("url"), "mimeType": media.get("contentType")}
    draft.content.append(read_media({"type": "media", **address}))


def _add_eino_block(draft: Draft, part: dict[str, Json]) -> None:
    """Add the block of an Eino agentic message, stored under the key that its type names."""
    block_type = as_text(part.get("type"))
    inner = first_object(part, (block_type,)) or {}
    add_part(draft, {**inner, "type": _EINO_BLOCKS[block_type]})


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
_KEYED_RESULTS = ("toolResult", "functionResponse", "function_response", "toolResponse")
_CODES = ("executableCode", "executable_code")
_CODE_RESULTS = ("codeExecutionResult", "code_execution_result")
_KEYED_MEDIA = {
    "inlineData": "media",
    "inline_data": "media",
    "fileData": "media",
    "file_data": "media",
    "image": "image",
}

_BY_TYPE: dict[str, Callable[[Draft, dict[str, Json]], None]] = {
    **dict.fromkeys(_TEXTS, _add_text),
    **dict.fromkeys(_THOUGHTS, add_thought),
    **dict.fromkeys(_CALLS, _add_call),
    **dict.fromkeys(_SERVER_CALLS, _add_server_call),
    **dict.fromkeys(_NO_ANSWERS, _ignore),
    **dict.fromkeys(_RESULTS, _add_result),
    **dict.fromkeys(_MEDIA, _add_media),
    **dict.fromkeys(_EINO_BLOCKS, _add_eino_block),
    "refusal": _add_refusal,
}
_BY_KEY: dict[str, Callable[[Draft, dict[str, Json]], None]] = {
    "text": _add_text,
    "toolUse": _add_keyed_call,
    "functionCall": _add_keyed_call,
    "toolRequest": _add_keyed_call,
    "function_call": _add_keyed_call,
    "tool_kwargs": _add_call,
    **dict.fromkeys(_KEYED_RESULTS, _add_keyed_result),
    **dict.fromkeys(_CODES, _add_code),
    **dict.fromkeys(_CODE_RESULTS, _add_code_result),
    "reasoningContent": _add_keyed_thought,
    "reasoning": _add_keyed_thought,
    "media": _add_genkit_media,
    **dict.fromkeys(_KEYED_MEDIA, _add_keyed_media),
}
"""Parts of Gemini, Bedrock, Genkit and LlamaIndex have no type; a key identifies their kind."""
_OF_ASSISTANTS = (_add_call, _add_server_call, _add_code, _ignore, add_thought, _add_keyed_call)
