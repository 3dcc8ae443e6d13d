"""Recognises the kind of a content part, of any API, by its type or by one of its keys."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
"""Types of tool calls that the provider runs itself while the model answers: items of the Responses
API, and parts of the GenAI conventions."""
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
EINO_BLOCKS = {
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
"""Types of Eino's blocks, each with the type of the part in it."""
KEYED_RESULTS = ("toolResult", "functionResponse", "function_response", "toolResponse")
CODES = ("executableCode", "executable_code")
CODE_RESULTS = ("codeExecutionResult", "code_execution_result")
KEYED_MEDIA = {
    "inlineData": "media",
    "inline_data": "media",
    "fileData": "media",
    "file_data": "media",
    "image": "image",
}
"""Keys of media in parts without a type, each with the type of the media."""


class PartKind(StrEnum):
    """The kinds of parts, each of which is converted in its own way (``parts.py``)."""

    TEXT = "text"
    REFUSAL = "refusal"
    THOUGHT = "thought"
    CALL = "call"
    SERVER_CALL = "server_call"
    """A tool call that the provider ran itself while the model answered."""
    RESULT = "result"
    CODE = "code"
    """Code that Gemini ran."""
    CODE_RESULT = "code_result"
    MEDIA = "media"
    IGNORED = "ignored"
    """An item that does not belong to the conversation."""
    EINO_BLOCK = "eino_block"
    """A block under the key that its type names."""
    KEYED_CALL = "keyed_call"
    """A tool call without a type, which a key identifies. The kinds below have no type either."""
    KEYED_RESULT = "keyed_result"
    KEYED_THOUGHT = "keyed_thought"
    KEYED_MEDIA = "keyed_media"
    GENKIT_MEDIA = "genkit_media"


_BY_TYPE: dict[str, PartKind] = {
    **dict.fromkeys(_TEXTS, PartKind.TEXT),
    **dict.fromkeys(_THOUGHTS, PartKind.THOUGHT),
    **dict.fromkeys(_CALLS, PartKind.CALL),
    **dict.fromkeys(_SERVER_CALLS, PartKind.SERVER_CALL),
    **dict.fromkeys(_NO_ANSWERS, PartKind.IGNORED),
    **dict.fromkeys(_RESULTS, PartKind.RESULT),
    **dict.fromkeys(_MEDIA, PartKind.MEDIA),
    **dict.fromkeys(EINO_BLOCKS, PartKind.EINO_BLOCK),
    "refusal": PartKind.REFUSAL,
}
_BY_KEY: dict[str, PartKind] = {
    "text": PartKind.TEXT,
    "toolUse": PartKind.KEYED_CALL,
    "functionCall": PartKind.KEYED_CALL,
    "toolRequest": PartKind.KEYED_CALL,
    "function_call": PartKind.KEYED_CALL,
    "tool_kwargs": PartKind.CALL,
    **dict.fromkeys(KEYED_RESULTS, PartKind.KEYED_RESULT),
    **dict.fromkeys(CODES, PartKind.CODE),
    **dict.fromkeys(CODE_RESULTS, PartKind.CODE_RESULT),
    "reasoningContent": PartKind.KEYED_THOUGHT,
    "reasoning": PartKind.KEYED_THOUGHT,
    "media": PartKind.GENKIT_MEDIA,
    **dict.fromkeys(KEYED_MEDIA, PartKind.KEYED_MEDIA),
}
"""Parts of Gemini, Bedrock, Genkit and LlamaIndex have no type; a key identifies their kind."""
_OF_ASSISTANTS = (
    PartKind.CALL,
    PartKind.SERVER_CALL,
    PartKind.CODE,
    PartKind.IGNORED,
    PartKind.THOUGHT,
    PartKind.KEYED_CALL,
)


def is_part(value: Json) -> bool:
    """Return whether the value is a content part of a known kind."""
    return isinstance(value, dict) and kind_of(value) is not None


def is_call_or_thought(part: dict[str, Json]) -> bool:
    """Return whether only an assistant can send the part: a tool call or a thought."""
    return kind_of(part) in _OF_ASSISTANTS


def kind_of(part: dict[str, Json]) -> PartKind | None:
    """Return the kind of a part; ``None`` for other data."""
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
