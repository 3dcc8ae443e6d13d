"""Reads the thoughts in messages from any API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.wire import first_object, first_text, parse_written

if TYPE_CHECKING:
    from spanloom.core.messages.draft import Draft
    from spanloom.core.model.message import Json


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
