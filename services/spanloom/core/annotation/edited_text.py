"""One correction, ``{field, part?, original, edited}``, applied to what a model answered."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.messages.texts import messages_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    Json = dict[str, Any]  # as JSON gives and takes it


class Fate(StrEnum):
    """What became of a correction."""

    WRITTEN = "written"
    UNEDITED = "unedited"
    """It says what was there."""
    CHANGED = "changed"
    """Its step, or the text that it corrects, says something else now."""
    ORPHANED = "orphaned"
    """Its step has gone."""
    NO_ANSWER = "no_answer"
    """It is not of what a model answered: of an input, or of what a tool returned."""
    UNREADABLE = "unreadable"
    """It has no texts ``original`` and ``edited``, or its part names no place."""


_GONE = Fate.CHANGED, None


def apply(
    step: Json, messages: Sequence[Json], text: str, one: object
) -> tuple[Fate, Sequence[Json] | None]:
    """Return the messages with one correction, and what became of it."""
    if (why_not := _refused(step, one)) or not isinstance(one, dict):
        return why_not or Fate.UNREADABLE, None
    if not one.get("part"):
        is_there = one["original"] == text
        return (Fate.WRITTEN, as_messages(one["edited"], "assistant")) if is_there else _GONE
    copied = orjson.loads(orjson.dumps(messages))
    *path, last = str(one["part"]).split(".")
    holder = _at(copied, path)
    here = _at(holder, [last])
    if here != one["original"]:
        return _GONE if isinstance(here, str) else (Fate.UNREADABLE, None)
    holder[int(last) if isinstance(holder, list) else last] = one["edited"]
    return Fate.WRITTEN, copied


def _refused(step: Json, one: object) -> Fate | None:
    """Return why a correction is none of an answer, whatever the answer says."""
    if not isinstance(one, dict) or not _is_text(one, "original") or not _is_text(one, "edited"):
        return Fate.UNREADABLE
    if step.get("type") != "model" or one.get("field") != "output":
        return Fate.NO_ANSWER
    return Fate.UNEDITED if one["original"] == one["edited"] else None


def _at(value: Any, path: Sequence[str]) -> Any:  # any JSON value
    """Return what stands at a path; ``None`` if nothing does."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def as_messages(text: str, role: str) -> list[Json]:
    """Return the messages that a text holds, at least one: itself, said by a role."""
    return messages_in(text, role) or [{"role": role, "content": text}]


def _is_text(one: Json, name: str) -> bool:
    return isinstance(one.get(name), str)
