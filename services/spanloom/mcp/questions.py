"""What tools are asked, in the words of the API."""

from __future__ import annotations

import re

import orjson
from mcp.server.mcpserver.exceptions import ToolError

from spanloom.client.moments import milliseconds_of

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
        raise ToolError(f"since: {error}; or {EVER}") from error


def places_of(steps: str, count: int) -> tuple[int, int]:
    """Return the first and the last of the steps that are asked for: ``4``, ``3-9``."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", steps or f"1-{STEPS_AT_ONCE}")
    if found is None:
        raise ToolError(f"steps: {steps!r} is no range; write 4 or 3-9")
    first, last = int(found[1]), min(int(found[2] or found[1]), count)
    if not 1 <= first <= last:
        raise ToolError(f"steps: the run has steps 1 to {count}, not {steps}")
    return first, last
