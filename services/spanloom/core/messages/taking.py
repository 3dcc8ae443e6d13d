"""Add all fields of one message to a draft: content, thoughts, calls, names and ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.calls import read_calls
from spanloom.core.messages.forms import (
    CALLS,
    CONTENTS,
    FINE_STATUSES,
    LEGACY_CALL,
    MULTI_CONTENTS,
    RENAMED,
    SKIPPED,
    THOUGHTS,
)
from spanloom.core.messages.parts import read_content
from spanloom.core.messages.wire import as_text, first_of, first_text

if TYPE_CHECKING:
    from spanloom.core.messages.draft import Draft
    from spanloom.core.model.message import Json

_CALLING = frozenset({*CALLS, *LEGACY_CALL, "invalid_tool_calls", "additional_kwargs"})
_THINKING = frozenset({*THOUGHTS, "reasoning_details", "additional_kwargs"})


def take_message(draft: Draft, payload: dict[str, Json]) -> None:
    """Add all fields of a message to the draft."""
    content = payload.get("content")
    if content is None or content == "":
        content = first_of(payload, CONTENTS) or first_of(payload, MULTI_CONTENTS)
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
    draft.extras.update(
        {key: v for key in THOUGHTS if (v := payload.get(key)) and not isinstance(v, str)}
    )
    details = payload.get("reasoning_details")
    if isinstance(details, list):
        draft.secrets.extend(details)


def _take_calls(draft: Draft, payload: dict[str, Json]) -> None:
    """Add the calls that are in fields of the message, not in its content."""
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
        extras.setdefault("tool_call_id", call_id)  # events of the conventions call it ``id``
    more = payload.get("additional_kwargs")
    if isinstance(more, dict):
        _take_more(extras, more)


def _take_more(extras: dict[str, Json], more: dict[str, Json]) -> None:
    for key, value in more.items():
        if value and (key not in SKIPPED or key == "refusal"):
            extras.setdefault(key, value)
