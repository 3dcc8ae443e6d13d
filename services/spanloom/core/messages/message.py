"""Convert messages of any API or framework to the one shape (``core/model/message.py``).

Supported are OpenAI's chat messages and Responses items, Anthropic's, Gemini's and Bedrock's, the
parts of OpenTelemetry's conventions, LangChain's in its four forms (constructor, ``type`` and
``data``, plain, a pair of role and text), Vercel's, LlamaIndex's, Eino's, and messages that
dialects rebuild from flattened keys. Data that is not part of the conversation (message ids,
response metadata, usage) stays on the span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.draft import Draft
from spanloom.core.messages.forms import (
    is_answer_item,
    is_loose,
    is_pair,
    open_message,
    read_role,
)
from spanloom.core.messages.parts import add_part, is_call_or_thought, read_content
from spanloom.core.messages.plain import is_settled, read_plain
from spanloom.core.messages.taking import take_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.message import Json


def read_messages(items: Iterable[Json], role: str) -> list[Json]:
    """Return the converted messages in order; ``role`` is the role of items without one.

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
    """Return the role of an item that is a piece of an answer; ``None`` for a whole message."""
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
    """Append the converted message to ``out``; one with tool results becomes several."""
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
