"""One message of any API or framework, in the one shape (``core/model/message.py``).

Read are: OpenAI's chat messages and Responses items, Anthropic's, Gemini's and Bedrock's, the
parts of OpenTelemetry's conventions, LangChain's in its four forms (constructor, ``type`` and
``data``, plain, a pair of role and text), Vercel's, LlamaIndex's, Eino's, and what dialects
rebuild from flattened keys. What is no part of the conversation (ids of messages, response
metadata, usage) stays on the span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.messages.calls import read_calls
from spanloom.core.dialects.messages.parts import Draft, is_call_or_thought, is_part
from spanloom.core.dialects.messages.wire import as_text, first_of, first_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.message import Json

ROLES = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "tool-call": "assistant",
    "tool-response": "tool",
}
"""Every name of a role that some API or framework uses; a role beyond these stays as it is."""

_CLASSES = {
    "SystemMessage": "system",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
    "system": "system",
    "human": "user",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""LangChain's classes, and what its messages call themselves in ``type``."""

CONTENTS = ("content", "parts", "contents", "blocks", "content_blocks", "message")
_MULTI = ("user_input_multi_content", "assistant_output_multi_content", "multi_content")
"""Eino's lists of parts, beside an empty ``content``."""
_CALLS = ("tool_calls", "toolCalls")
_MARKS = frozenset({*CONTENTS, *_CALLS, "function_call", "refusal", "function_call_name"})
_FINISHES = ("finish_reason", "finishReason", "stop_reason")
_NAMES = ("name", "tool_name", "toolName")
_CALL_IDS = ("tool_call_id", "toolCallId")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
_FINE_STATUSES = ("success", "completed", "ok")

_READ = frozenset(
    {*CONTENTS, *_MULTI, *_CALLS, *_FINISHES, *_NAMES, *_CALL_IDS, *_THOUGHTS}
) | frozenset(
    {"role", "type", "status", "function_call", "invalid_tool_calls", "additional_kwargs"}
    | {"function_call_name", "function_call_arguments_json", "reasoning_details"}
)
_BOOKKEEPING = frozenset(
    {"id", "index", "example", "response_metadata", "usage_metadata", "usage", "tool_call_chunks"}
    | {"response_meta", "extra", "metadata", "logprobs", "chunk_position", "event.name", "body"}
    | {"__openai_role__", "parsed"}
)
_SKIPPED = _READ | _BOOKKEEPING


def is_message(value: Json) -> bool:
    """Tell whether the value is a message, and not data that happens to have a role."""
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    if isinstance(role, str):
        return role in ROLES or not _MARKS.isdisjoint(value)
    if "lc" in value:
        return _class_role(value) is not None
    inner = value.get("message", value.get("delta"))
    if isinstance(inner, dict):
        return is_message(inner) or not _MARKS.isdisjoint(inner)
    said = value.get("type")
    is_langchain = isinstance(said, str) and _plain_class(said) in _CLASSES
    return is_langchain and ("content" in value or isinstance(value.get("data"), dict))


def is_item(value: Json) -> bool:
    """Tell whether the value stands among messages: a message, a pair, or a part of its own."""
    return is_message(value) or _is_loose(value) or _is_pair(value) or _is_without_role(value)


def _is_without_role(value: Json) -> bool:
    """Tell whether the value says only what a message says: some leave the role out."""
    return (
        isinstance(value, dict)
        and not _MARKS.isdisjoint(value)
        and value.keys() <= _SKIPPED
        and not isinstance(value.get("message"), dict)
    )


def read_messages(items: Iterable[Json], role: str) -> list[Json]:
    """Give the messages in order; ``role`` is that of items which say none.

    Items of the Responses API that belong to one answer (thoughts, text, calls) are one message.
    """
    out: list[Json] = []
    answer: Draft | None = None
    for item in items:
        if isinstance(item, dict) and (_is_loose(item) or _is_answer_item(item)):
            part_role = _loose_role(item, role)
            if answer is not None and answer.role != part_role:
                answer.finish()
                answer = None
            answer = answer or Draft(out, part_role)
            _take(answer, item)
            continue
        if answer is not None:
            answer.finish()
            answer = None
        read_message(out, item, role)
    if answer is not None:
        answer.finish()
    return out


def read_message(out: list[Json], item: Json, role: str) -> None:
    """Append the message, or the messages that a message with tool results falls into."""
    if isinstance(item, list):
        if _is_pair(item):
            item = {"role": item[0], "content": item[1]}
        else:
            out.extend(read_messages(item, role))
            return
    if not isinstance(item, dict):
        draft = Draft(out, role)
        draft.read(item)
        draft.finish()
        return
    said, finish = _open(item)
    draft = Draft(out, _role(said, role))
    _take(draft, said)
    if finish and "finish_reason" not in draft.extras:
        draft.extras["finish_reason"] = finish
    draft.finish()


def _take(draft: Draft, said: dict[str, Json]) -> None:
    """Take everything that a message says into the draft."""
    if _is_loose(said):
        draft.add(said)
        return
    draft.read(first_of(said, CONTENTS) or first_of(said, _MULTI))
    if thought := first_text(said, _THOUGHTS):
        draft.thoughts.append(thought)
    _take_calls(draft, said)
    if isinstance(details := said.get("reasoning_details"), list):
        draft.secrets.extend(details)
    _take_rest(draft, said)


def _take_calls(draft: Draft, said: dict[str, Json]) -> None:
    more = said.get("additional_kwargs")
    asked = first_of(said, _CALLS)
    if not asked and not said.get("invalid_tool_calls") and isinstance(more, dict):
        asked = more.get("tool_calls") or more.get("function_call")
    # Some frameworks name a call both in the content and beside it.
    known = {call.get("id") for call in draft.calls if isinstance(call, dict)}
    for call in read_calls(asked or _legacy_call(said)):
        if "id" not in call or call["id"] not in known:
            draft.calls.append(call)
    draft.calls.extend(read_calls(said.get("invalid_tool_calls")))


def _legacy_call(said: dict[str, Json]) -> Json:
    if isinstance(call := said.get("function_call"), dict):
        return call
    name = said.get("function_call_name")
    arguments = said.get("function_call_arguments_json")
    return {"name": name, "arguments": arguments} if name or arguments else None


def _take_rest(draft: Draft, said: dict[str, Json]) -> None:
    extras = draft.extras
    for key, keys in (("tool_call_id", _CALL_IDS), ("name", _NAMES), ("finish_reason", _FINISHES)):
        if value := first_of(said, keys):
            extras[key] = as_text(value)
    if draft.role == "tool" and "tool_call_id" not in extras and isinstance(said.get("id"), str):
        extras["tool_call_id"] = said["id"]  # as the conventions' events for messages name it
    if (status := said.get("status")) and status not in _FINE_STATUSES:
        extras["status"] = status
    more = said.get("additional_kwargs")
    if isinstance(more, dict):
        if not draft.thoughts and (thought := first_text(more, _THOUGHTS)):
            draft.thoughts.append(thought)
        _keep(extras, more)
    _keep(extras, said)


def _keep(extras: dict[str, Json], said: dict[str, Json]) -> None:
    extras.update({key: value for key, value in said.items() if value and _is_extra(key, value)})


def _is_extra(key: str, value: Json) -> bool:
    return key not in _SKIPPED or (key in _THOUGHTS and not isinstance(value, str))


def _open(item: dict[str, Json]) -> tuple[dict[str, Json], str]:
    """Take the message out of what it is wrapped in; give its finish reason as well."""
    finish = ""
    while True:
        finish = finish or _finish(item)
        inner = item.get("kwargs") if "lc" in item else None
        if isinstance(inner, dict):
            item = {"type": _class_role(item), **inner}
            continue
        for key in ("message", "delta", "data"):
            if isinstance(inner := item.get(key), dict) and not isinstance(item.get("role"), str):
                break
        else:
            inner = item.get("content")
            if not (isinstance(inner, dict) and "parts" in inner):
                return item, finish
            inner = {"role": item.get("role"), **inner}
        item = {"type": item.get("type"), **inner} if "type" in item else inner


def _finish(item: dict[str, Json]) -> str:
    if finish := first_text(item, _FINISHES):
        return finish
    info = item.get("generation_info", item.get("generationInfo"))
    return first_text(info, _FINISHES) if isinstance(info, dict) else ""


def _role(said: dict[str, Json], default: str) -> str:
    role = said.get("role")
    if isinstance(role, str) and role:
        return ROLES.get(role) or ROLES.get(role.lower(), role)
    said_type = said.get("type")
    if isinstance(said_type, str):
        return _CLASSES.get(_plain_class(said_type), default)
    return default


def _plain_class(name: str) -> str:
    return name.removesuffix("Chunk")


def _class_role(value: dict[str, Json]) -> str | None:
    """Give the role of a serialised LangChain message by its class."""
    path = value.get("id")
    name = path[-1] if isinstance(path, list) and path else None
    if isinstance(name, str) and isinstance(value.get("kwargs"), dict):
        return _CLASSES.get(_plain_class(name)) or ("chat" if name == "ChatMessage" else None)
    return None


def _is_loose(value: Json) -> bool:
    """Tell whether a part stands where a message should, as in the Responses API."""
    return (
        isinstance(value, dict)
        and not isinstance(value.get("role"), str)
        and "message" not in value
        and "lc" not in value
        and is_part(value)
    )


def _is_answer_item(item: dict[str, Json]) -> bool:
    return item.get("type") == "message" and item.get("role") == "assistant"


def _loose_role(item: dict[str, Json], default: str) -> str:
    if _is_answer_item(item) or is_call_or_thought(item):
        return "assistant"
    return default


def _is_pair(value: Json) -> bool:
    """Tell whether the value is LangChain's ``("human", "text")``."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and value[0] in ROLES
        and isinstance(value[1], str)
    )
