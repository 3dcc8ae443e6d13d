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
from spanloom.core.dialects.messages.draft import Draft
from spanloom.core.dialects.messages.forms import (
    BOOKKEEPING,
    CALLS,
    CONTENTS,
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
from spanloom.core.dialects.messages.parts import (
    add_part,
    is_call_or_thought,
    may_hold_parts,
    read_content,
)
from spanloom.core.dialects.messages.wire import as_text, first_of, first_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.message import Json

_FINE_STATUSES = ("success", "completed", "ok")
_ASKING = frozenset({*CALLS, *LEGACY_CALL, "invalid_tool_calls", "additional_kwargs"})
_THINKING = frozenset({*THOUGHTS, "reasoning_details", "additional_kwargs"})
_UNSAID = BOOKKEEPING - {"id"} | {"role", "content", "parts", "type"}
_PLAIN = frozenset({"tool_call_id", "name", "finish_reason", "reasoning_content"})


def read_messages(items: Iterable[Json], role: str) -> list[Json]:
    """Give the messages in order; ``role`` is that of items which say none.

    Items of the Responses API that belong to one answer (thoughts, text, calls) are one message.
    """
    out: list[Json] = []
    answer: Draft | None = None
    for item in items:
        if answer is None and is_settled(item):
            out.append(item)
            continue
        if not (is_loose(item) or is_answer_item(item)):
            if answer is not None:
                answer.finish()
                answer = None
            read_message(out, item, role)
            continue
        part_role = _loose_role(item, role)
        if answer is not None and answer.role != part_role:
            answer.finish()
            answer = None
        answer = answer or Draft(out, part_role)
        if is_loose(item):
            add_part(answer, item)
        else:
            _take(answer, item)
    if answer is not None:
        answer.finish()
    return out


def is_settled(item: Json) -> bool:
    """Tell at little cost whether the commonest message is in the one shape already."""
    if not isinstance(item, dict) or [*item] != _SETTLED or item["role"] not in _ROLES:
        return False
    content = item["content"]
    return isinstance(content, str) and (item["role"] == "tool" or not may_hold_parts(content))


_SETTLED = ["role", "content"]
_ROLES = ("system", "developer", "user", "assistant", "tool")


def _loose_role(item: dict[str, Json], default: str) -> str:
    is_answer = is_answer_item(item) or is_call_or_thought(item)
    return "assistant" if is_answer else default


def read_message(out: list[Json], item: Json, role: str) -> None:
    """Append the message, or the messages that a message with tool results falls into."""
    if isinstance(item, dict):
        said, finish = open_message(item)
        speaker = read_role(said, role)
        message = None if finish else _read_plain(said, speaker)
        if message is None:
            _read_any(out, said, speaker, finish)
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


def _read_plain(item: dict[str, Json], role: str) -> dict[str, Json] | None:
    """Read the commonest form, one text and no calls, at a fraction of the cost of a draft."""
    content = item.get("content")
    if content is None:
        content = _only_text(item.get("parts"))
    elif "parts" in item:
        return None
    if not isinstance(content, str) or (may_hold_parts(content) and role != "tool"):
        return None
    message: dict[str, Json] = {"role": role, "content": content}
    for key, value in item.items():
        if not value or key in _UNSAID or (key == "id" and role != "tool"):
            continue
        if key in _PLAIN and isinstance(value, str):
            message[key] = value
        elif key != "additional_kwargs" or _says_more(value):
            return None
    return message


def _says_more(additional: Json) -> bool:
    return not isinstance(additional, dict) or any(additional.values())


def _only_text(parts: Json) -> Json:
    """Give the text of parts that are a single plain text in OpenTelemetry's form."""
    part = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
    if isinstance(part, dict) and len(part) == 2 and part.get("type") == "text":
        return part.get("content")
    return None


def _read_any(out: list[Json], said: dict[str, Json], role: str, finish: str) -> None:
    draft = Draft(out, role)
    _take(draft, said)
    if finish:
        draft.extras.setdefault("finish_reason", finish)
    draft.finish()


def _take(draft: Draft, said: dict[str, Json]) -> None:
    """Take everything that a message says into the draft."""
    content = said.get("content")
    if content is None or content == "":
        content = first_of(said, CONTENTS) or first_of(said, MULTI_CONTENTS)
    read_content(draft, content)
    if not _THINKING.isdisjoint(said):
        _take_thoughts(draft, said)
    if not _ASKING.isdisjoint(said):
        _take_calls(draft, said)
    _take_rest(draft, said)


def _take_thoughts(draft: Draft, said: dict[str, Json]) -> None:
    more = said.get("additional_kwargs")
    if thought := first_text(said, THOUGHTS):
        draft.thoughts.append(thought)
    elif isinstance(more, dict) and not draft.thoughts and (text := first_text(more, THOUGHTS)):
        draft.thoughts.append(text)
    draft.extras.update(
        {key: v for key in THOUGHTS if (v := said.get(key)) and not isinstance(v, str)}
    )
    details = said.get("reasoning_details")
    if isinstance(details, list):
        draft.secrets.extend(details)


def _take_calls(draft: Draft, said: dict[str, Json]) -> None:
    """Take the calls that stand beside the content."""
    asked = first_of(said, CALLS)
    invalid = said.get("invalid_tool_calls")
    more = said.get("additional_kwargs")
    if not asked and not invalid and isinstance(more, dict):
        asked = more.get("tool_calls") or more.get("function_call")
    draft.calls.extend(read_calls(asked or _legacy_call(said)))
    draft.calls.extend(read_calls(invalid))


def _legacy_call(said: dict[str, Json]) -> Json:
    if isinstance(call := said.get("function_call"), dict):
        return call
    name = said.get("function_call_name")
    arguments = said.get("function_call_arguments_json")
    return {"name": name, "arguments": arguments} if name or arguments else None


def _take_rest(draft: Draft, said: dict[str, Json]) -> None:
    """Take names and ids, and what else a message says beyond the shape."""
    extras = draft.extras
    for key, value in said.items():
        if not value:
            continue
        if key in RENAMED:
            extras.setdefault(RENAMED[key], as_text(value))
        elif key not in SKIPPED and key != "reasoning_details":
            extras[key] = value
    status = said.get("status")
    if status and status not in _FINE_STATUSES:
        extras["status"] = status
    if draft.role == "tool" and isinstance(call_id := said.get("id"), str) and call_id:
        extras.setdefault("tool_call_id", call_id)  # the name of it in the conventions' events
    more = said.get("additional_kwargs")
    if isinstance(more, dict):
        _take_more(extras, more)


def _take_more(extras: dict[str, Json], more: dict[str, Json]) -> None:
    for key, value in more.items():
        if value and key not in SKIPPED:
            extras.setdefault(key, value)
