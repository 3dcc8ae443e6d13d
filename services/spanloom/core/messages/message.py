"""Converts messages of any API or framework to the common form (``core/model/message.py``).

The module reads OpenAI's chat messages and Responses items, messages of Anthropic, Gemini and
Bedrock, the parts of OpenTelemetry's conventions, LangChain's four forms (constructor, ``type`` and
``data``, plain, a pair of role and text), messages of Vercel, LlamaIndex and Eino, and messages
that dialects rebuild from flattened keys. Data that does not belong to the conversation (message
ids, response metadata, usage) stays on the span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.calls import read_calls
from spanloom.core.messages.draft import Draft
from spanloom.core.messages.forms import (
    CALLS,
    CONTENTS,
    FINE_STATUSES,
    LEGACY_CALL,
    MULTI_CONTENTS,
    RENAMED,
    SKIPPED,
    THOUGHTS,
    is_answer_item,
    is_loose,
    is_pair,
    open_message,
    read_role,
)
from spanloom.core.messages.part_kinds import is_call_or_thought
from spanloom.core.messages.parts import add_part, read_content
from spanloom.core.messages.plain import is_settled, read_plain
from spanloom.core.messages.thoughts import join_texts
from spanloom.core.messages.wire import as_text, first_of, first_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.message import Json


def read_messages(items: Iterable[Json], role: str) -> list[Json]:
    """Return the converted messages in order; ``role`` is the role of items that do not state it.

    Items of the Responses API that belong to one answer (thoughts, text, calls) become one message.
    """
    out: list[Json] = []
    answer: Draft | None = None
    for item in items:
        piece_role = _role_of_piece(item, role) if isinstance(item, dict) else None
        if answer is not None and piece_role != answer.role:
            answer.finish()
            answer = None
        if piece_role is None:
            read_message(out, item, role)
        else:
            answer = answer or Draft(out, piece_role)
            _take_piece(answer, item)
    if answer is not None:
        answer.finish()
    return out


def _role_of_piece(item: dict[str, Json], default: str) -> str | None:
    """Return the role of an item that is only a part of an answer; ``None`` for other items."""
    role = item.get("role")
    if isinstance(role, str):
        return role if role == "assistant" and item.get("type") == "message" else None
    if is_loose(item):
        return "assistant" if is_call_or_thought(item) else default
    return None


def _take_piece(answer: Draft, item: Json) -> None:
    if is_loose(item):
        add_part(answer, item)
    elif is_answer_item(item):
        take_message(answer, item)


def read_message(out: list[Json], item: Json, role: str) -> None:
    """Append the converted message to ``out``; a message with tool results becomes several."""
    if is_settled(item):
        out.append(item)
    elif isinstance(item, dict):
        opened, finish = open_message(item)
        own_role = read_role(opened, role)
        message = None if finish else read_plain(opened, own_role)
        if message is None:
            _read_any(out, opened, own_role, finish)
        else:
            out.append(message)
    elif is_pair(item):
        read_message(out, {"role": item[0], "content": item[1]}, role)
    elif isinstance(item, list):
        out.extend(read_messages(item, role))
    else:
        draft = Draft(out, role)
        read_content(draft, item)
        draft.finish()


def _read_any(out: list[Json], payload: dict[str, Json], role: str, finish: str) -> None:
    draft = Draft(out, role)
    take_message(draft, payload)
    if finish:
        draft.extras.setdefault("finish_reason", finish)
    draft.finish()


_CALLING = frozenset({*CALLS, *LEGACY_CALL, "invalid_tool_calls", "additional_kwargs"})
_THINKING = frozenset({*THOUGHTS, "reasoning_details", "additional_kwargs"})


def take_message(draft: Draft, payload: dict[str, Json]) -> None:
    """Add all fields of a message to the draft."""
    content = payload.get("content")
    if content is None or content == "":
        content = first_of(payload, CONTENTS) or first_of(payload, MULTI_CONTENTS)
        if content is None and isinstance(text := payload.get("text"), str):  # Dify
            content, payload = text, {k: v for k, v in payload.items() if k != "text"}
    read_content(draft, content)
    if not _THINKING.isdisjoint(payload):
        _take_thoughts(draft, payload)
    if not _CALLING.isdisjoint(payload):
        _take_calls(draft, payload)
    _take_rest(draft, payload)


def _take_thoughts(draft: Draft, payload: dict[str, Json]) -> None:
    more = payload.get("additional_kwargs")
    if thought := first_text(payload, THOUGHTS):
        draft.thoughts.append(thought)
    elif isinstance(more, dict) and not draft.thoughts and (text := first_text(more, THOUGHTS)):
        draft.thoughts.append(text)
    listed = {key: v for key in THOUGHTS if (v := payload.get(key)) and not isinstance(v, str)}
    for key, value in listed.items():
        if not draft.thoughts and (text := join_texts(value)):
            draft.thoughts.append(text)
        else:
            draft.extras[key] = value
    details = payload.get("reasoning_details")
    if isinstance(details, list):
        draft.secrets.extend(details)


def _take_calls(draft: Draft, payload: dict[str, Json]) -> None:
    """Add the tool calls in the message's fields; calls in its content are added separately."""
    calls = first_of(payload, CALLS)
    invalid = payload.get("invalid_tool_calls")
    more = payload.get("additional_kwargs")
    if not calls and not invalid and isinstance(more, dict):
        calls = more.get("tool_calls") or more.get("function_call")
    draft.calls.extend(read_calls(calls or _legacy_call(payload)))
    draft.calls.extend(read_calls(invalid))


def _legacy_call(payload: dict[str, Json]) -> Json:
    if isinstance(call := payload.get("function_call"), dict):
        return call
    name = payload.get("function_call_name")
    arguments = payload.get("function_call_arguments_json")
    return {"name": name, "arguments": arguments} if name or arguments else None


def _take_rest(draft: Draft, payload: dict[str, Json]) -> None:
    """Add names and ids, and all other fields of the message."""
    extras = draft.extras
    for key, value in payload.items():
        if not value:
            continue
        if key in RENAMED:
            extras.setdefault(RENAMED[key], as_text(value))
        elif key not in SKIPPED and key != "reasoning_details":
            extras[key] = value
    status = payload.get("status")
    if status and status not in FINE_STATUSES:
        extras["status"] = status
    if draft.role == "tool" and isinstance(call_id := payload.get("id"), str) and call_id:
        extras.setdefault("tool_call_id", call_id)  # events of the conventions name it ``id``
    more = payload.get("additional_kwargs")
    if isinstance(more, dict):
        _take_more(extras, more)


def _take_more(extras: dict[str, Json], more: dict[str, Json]) -> None:
    for key, value in more.items():
        if value and (key not in SKIPPED or key == "refusal"):
            extras.setdefault(key, value)
