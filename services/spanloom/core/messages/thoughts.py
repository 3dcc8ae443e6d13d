"""Read a model's reasoning: its text, and signatures or encrypted content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.wire import (
    first_object,
    first_text,
    parse_written,
)

if TYPE_CHECKING:
    from spanloom.core.messages.draft import Draft
    from spanloom.core.model.message import Json


def add_thought(draft: Draft, part: dict[str, Json]) -> None:
    """Add the text of a thought; keep a signature or encrypted thoughts in ``secrets``."""
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
        return _joined(written) or text
    return _listed_text(payload)


def _listed_text(payload: dict[str, Json]) -> str:
    """Return the text of ``content``, else of ``summary``: the Responses API leaves one empty."""
    return _joined(payload.get("content")) or _joined(payload.get("summary"))


def _joined(items: Json) -> str:
    parts = items if isinstance(items, list) else []
    return "\n".join(
        text for item in parts if isinstance(item, dict) and (text := first_text(item, ("text",)))
    )
