"""What tools are asked, in the words of the API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.client.moments import milliseconds_of
from spanloom.mcp.data import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

EVER = "all"
STEPS_AT_ONCE = 50


def both(where: str, text: str) -> str:
    """Return a filter that asks for both: a condition, and words said anywhere."""
    said = orjson.dumps(text).decode() if text else ""
    return f"({where}) and {said}" if where and said else where or said


def first_ms(since: str) -> int | None:
    """Return the earliest start that is asked for, in ms since the epoch; ``None`` is any."""
    if since.strip().lower() in {"", EVER}:
        return None
    try:
        return milliseconds_of(since)
    except ValueError as error:
        raise refusal(f"since: {error}; or {EVER}") from error


class Place(NamedTuple):
    """Where a page of runs begins: behind a cursor of the API, which belongs to its first time."""

    from_ms: int | None
    cursor: str


def place_of(cursor: str, since: str) -> Place:
    """Return the place that ``page_behind`` told, else the first one since a time.

    ``7d`` is another time with every call, and a cursor goes on with its own question alone.
    """
    begins, dot, behind = cursor.partition(".")
    if dot and (begins == EVER or begins.isdecimal()):
        return Place(None if begins == EVER else int(begins), behind)
    return Place(first_ms(since), cursor)


def page_behind(page: Mapping[str, Any], place: Place) -> str | None:
    """Return what goes on behind a page of the API; ``None`` where it was the last."""
    behind = page.get("next_cursor")
    return behind and f"{EVER if place.from_ms is None else place.from_ms}.{behind}"


def places_of(steps: str, count: int) -> tuple[int, int]:
    """Return the first and the last of the steps that are asked for: ``4``, ``3-9``."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", steps or f"1-{STEPS_AT_ONCE}")
    if found is None:
        raise refusal(f"steps: {steps!r} is no range; write 4 or 3-9")
    first, last = int(found[1]), min(int(found[2] or found[1]), count)
    if not 1 <= first <= last:
        raise refusal(f"steps: the run has steps 1 to {count}, not {steps}")
    return first, last
