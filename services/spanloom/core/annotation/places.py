"""Finds annotated ranges again, by their quoted words, after a step's texts have changed.

A range is ``{field, part?, start, end, text}``. ``field`` is ``input`` or ``output``; ``part`` is a
path in the messages of that text, such as ``0.content``. Positions count UTF-16 code units, as in
browsers: a character outside the basic multilingual plane counts as two. The page implements the
same rule (``annotate/pieces.js``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Json = dict[str, Any]  # a JSON object

    StepOf = Callable[[str], Json | None]
    """Returns the step with an id, including its texts ``input`` and ``output``."""

SPANS = "spans"
"""The key in an annotation's value for the list of ranges."""
_TEXTS = ("reasoning_content", "refusal", "name", "finish_reason", "tool_call_id", "status")


class Bounds(NamedTuple):
    """Start and end of a range, in UTF-16 code units."""

    start: int
    end: int


def places_now(value: Mapping[str, Any], step_id: str, step_of: StepOf) -> list[Bounds | None]:
    """Return the current bounds of each range in an annotation's value; ``None`` if unknown.

    ``step_id`` is the annotated step; in a whole-run annotation each range names its step.
    """
    places = value.get(SPANS)
    listed = places if isinstance(places, list) else ()
    return [_bounds_now(one, step_id, step_of) for one in listed]


def moved_places(value: Mapping[str, Any], step_id: str, step_of: StepOf) -> Mapping[str, Any]:
    """Return the value with its ranges at their current bounds; ranges not found are unchanged."""
    now = places_now(value, step_id, step_of)
    if not any(now):
        return value
    moved = [
        {**one, **bounds._asdict()} if bounds else one
        for one, bounds in zip(value[SPANS], now, strict=True)
    ]
    return {**value, SPANS: moved}


def find_place(text: str, start: int, end: int, words: str) -> Bounds | None:
    """Return the current bounds of ``words``, which were at ``start``; ``None`` if unknown.

    If the words are still at the old bounds, these are returned; otherwise the bounds of their only
    occurrence. If the words occur several times, even overlapping, the bounds are unknown: text
    inserted before them may have moved them, so the nearest occurrence may be another one.
    """
    if not words:
        return None
    units, sought = _units(text), _units(words)
    if start >= 0 and end - start == len(sought) // 2 and units[2 * start : 2 * end] == sought:
        return Bounds(start, end)
    first = text.find(words)
    if first < 0 or text.find(words, first + 1) >= 0:
        return None
    at = len(_units(text[:first])) // 2
    return Bounds(at, at + len(sought) // 2)


def parts_of(text: str) -> Mapping[str, str]:
    """Split a step's input or output into readable texts; return them keyed by path.

    Messages are split into their contents (``0.content``) and the arguments of their tool calls
    (``0.tool_calls.1.function.arguments``); any other text is returned whole, with an empty path.
    """
    messages = _parsed(text)
    parts: dict[str, str] = {}
    for at, message in enumerate(messages if _are_messages(messages) else ()):
        if isinstance(content := message.get("content"), str) and content:
            parts[f"{at}.content"] = content
        for k, call in enumerate(message.get("tool_calls") or ()):
            if arguments := _member(_member(call, "function"), "arguments"):
                parts[f"{at}.tool_calls.{k}.function.arguments"] = arguments
    return parts or {"": text}


def _bounds_now(one: object, step_id: str, step_of: StepOf) -> Bounds | None:
    """Return the current bounds of a range that a client stored; ``None`` if unknown or invalid."""
    if not isinstance(one, dict):
        return None
    start, end, words = one.get("start"), one.get("end"), one.get("text")
    if type(start) is not int or type(end) is not int or not isinstance(words, str):
        return None
    step = step_of(str(one.get("step_id") or step_id))
    text = step.get(one["field"]) if step and one.get("field") in ("input", "output") else None
    part = parts_of(text).get(str(one.get("part") or "")) if isinstance(text, str) else None
    return None if part is None else find_place(part, start, end, words)


def _parsed(text: str) -> Any:  # any JSON value
    """Parse a JSON text of a list or object; ``None`` for any other text."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def _are_messages(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_message, value))


def _is_message(one: object) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("role"), str):
        return False
    calls = one.get("tool_calls")
    if not isinstance(calls, list | None) or not all(
        isinstance(one.get(n), str | None) for n in _TEXTS
    ):
        return False
    return all(map(_is_call, calls or ()))


def _is_call(call: object) -> bool:
    function = _member(call, "function")
    texts = _member(call, "id"), _member(function, "arguments"), _member(function, "name")
    return all(isinstance(text, str | None) for text in texts)


def _member(value: object, name: str) -> Any:  # any JSON value
    return value.get(name) if isinstance(value, dict) else None


def _units(text: str) -> bytes:
    """Encode a text in UTF-16; lone surrogates, which JSON allows, are preserved."""
    return text.encode("utf-16-le", "surrogatepass")
