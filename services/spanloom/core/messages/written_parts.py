"""Reads content parts from a text in which an SDK serialized them: JSON, or the repr of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.objects import OBJECT_STARTS, may_be_object, object_parts
from spanloom.core.messages.part_kinds import is_part
from spanloom.core.messages.wire import as_text, parse_written

if TYPE_CHECKING:
    from spanloom.core.model.message import Json


def may_hold_parts(text: str) -> bool:
    """Return whether a text may be parts that an SDK serialized: ``[{"type": "text", …``."""
    return text.startswith(_STARTS)


_STARTS = ("[{", '{"', "{'", *OBJECT_STARTS)


def read_objects(text: str) -> list[Json]:
    """Return the parts in the repr of one or more objects; empty for any other text."""
    parts = object_parts(text)
    return parts if all(isinstance(part, str) or is_part(part) for part in parts) else []


def written_parts(text: str) -> list[Json]:
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
