"""Which step a run was found by: the one that its shape begins with, or that has the words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.query.where.of_steps import first_step_asked
from spanloom.mcp.cutting import shortened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    Json = Mapping[str, Any]
    Ask = Callable[[str], Awaitable[Sequence[Json]]]

MOST_ROUNDS = 3
"""How often steps are asked for: one run may have all of those that are given at once."""
_SHOWN = ("step_id", "type", "name", "agent_name", "has_error")
_MOST_ERROR = 200


def step_asked(where: str, text: str) -> str:
    """Return which steps a filter and words ask for, as a ``where`` of steps; empty for none."""
    if shape := first_step_asked(where):
        return shape
    said = orjson.dumps(text).decode()
    return f"input: {said} or output: {said}" if text else ""


async def matching_steps(trace_ids: Sequence[str], ask: Ask) -> dict[str, Json]:
    """Return the first step of each run among those that ``ask`` gives for a ``where`` of runs."""
    found: dict[str, Json] = {}
    for _ in range(MOST_ROUNDS):
        left = [trace_id for trace_id in dict.fromkeys(trace_ids) if trace_id not in found]
        steps = await ask(f"trace_id in ({', '.join(map(_quoted, left))})") if left else []
        if not steps:
            break
        for step in steps:
            found.setdefault(step["trace_id"], _shown(step))
    return found


def _shown(step: Json) -> Json:
    told = {name: step[name] for name in _SHOWN if step.get(name)}
    if error := step.get("error_message"):
        told["error"] = shortened(error, _MOST_ERROR)
    return told


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()
