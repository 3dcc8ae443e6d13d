"""Steps of a document as an agent reads them: an outline, one step, and the one that matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.query.where.of_steps import first_step_asked
from spanloom.core.showing import step_outline
from spanloom.mcp.data import shortened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from spanloom.core.showing.step_outline import Placed


if TYPE_CHECKING:
    Json = Mapping[str, Any]
    Ask = Callable[[str], Awaitable[Sequence[Json]]]


MOST_OF_A_NAME = 200


def outline(steps: Sequence[Placed]) -> Iterator[Json]:
    """Yield the lines of ``core.showing.step_outline``, their names and failures shortened."""
    for line in step_outline.outline(steps):
        yield {name: _short(value) for name, value in line.items()}


def tell(own: Placed, max_chars: int) -> Json:
    """Return all that is told of a step, its texts shortened."""
    step = own.step
    told: dict[str, object] = {
        "step": own.place,
        "id": step["id"],
        "parent_id": step["parent_id"],
        "type": step["type"],
        "name": _short(step["name"]),
        "agent": _short(own.agent),
        "started_at_ms": step["basic_info"]["started_at"],
        "ms": int(step["basic_info"]["duration"]),
        "input": shortened(step["input"], max_chars),
        "output": shortened(step["output"], max_chars),
        "metadata": {_short(k): _short(str(v)) for k, v in step["metadata"].items()},
    }
    if own.error:
        told["error"] = shortened(own.error, max_chars)
    if "model_info" in step:
        told["tokens"] = step["model_info"]
    return told


def head_of(document: Json, steps: int) -> Json:
    """Return what is told of a run as a whole."""
    root, extraction = document["root_step"], document["extraction"]
    info = root["basic_info"]
    shown = ("status", "outcome", "agents", "models", "cost", "conversation_id", "warnings")
    return {
        "trace_id": document["id"],
        "name": root["name"],
        "started_at_ms": info["started_at"],
        "ms": int(info["duration"]),
        "question": shortened(root["input"], 400),
        "answer": shortened(root["output"], 400),
        "steps": steps,
        "metrics": root["metrics_info"],
        **{name: extraction[name] for name in shown if name in extraction},
    }


def _short(value: Any) -> Any:  # as JSON has it
    return shortened(value, MOST_OF_A_NAME) if isinstance(value, str) else value


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
