"""Steps as JSON for agents: the outline, single steps, and the steps that matched a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.document import Document
from spanloom.core.query.where.of_steps import first_step_condition
from spanloom.core.showing import steps as step_outline
from spanloom.mcp.data import shortened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from spanloom.core.showing.steps import Placed


if TYPE_CHECKING:
    Json = Mapping[str, Any]
    Ask = Callable[[str], Awaitable[Sequence[Json]]]


MOST_OF_A_NAME = 200


def outline(steps: Sequence[Placed]) -> Iterator[Json]:
    """Yield the lines of ``core.showing.step_outline`` with names and errors shortened."""
    for line in step_outline.outline(steps):
        yield {name: _short(value) for name, value in line.items()}


def step_json(placed: Placed, max_chars: int) -> Json:
    """Return a step with all its fields; its texts have at most ``max_chars`` characters."""
    step = placed.step
    fields: dict[str, object] = {
        "step": placed.place,
        "id": step.id,
        "parent_id": step.parent_id,
        "type": step.type,
        "name": _short(step.name),
        "agent": _short(placed.agent),
        "started_at_ms": step.basic_info["started_at"],
        "ms": step.duration,
        "input": shortened(step.input, max_chars),
        "output": shortened(step.output, max_chars),
        "metadata": {_short(k): _short(str(v)) for k, v in step.metadata.items()},
    }
    if placed.error:
        fields["error"] = shortened(placed.error, max_chars)
    if step.model_info:
        fields["tokens"] = step.model_info
    return fields


def run_summary(document: Json, steps: int) -> Json:
    """Return the summary of a run; ``steps`` is the number of its steps."""
    view = Document(document)
    root, members = view.root, view.extraction.json
    shown = ("status", "outcome", "agents", "models", "cost", "conversation_id", "warnings")
    return {
        "trace_id": view.id,
        "name": root.name,
        "started_at_ms": root.basic_info["started_at"],
        "ms": root.duration,
        "question": shortened(root.input, 400),
        "answer": shortened(root.output, 400),
        "steps": steps,
        "metrics": root.metrics_info,
        **{name: members[name] for name in shown if name in members},
    }


def _short(value: Any) -> Any:  # any JSON value
    return shortened(value, MOST_OF_A_NAME) if isinstance(value, str) else value


MOST_ROUNDS = 3
"""Maximum requests to find the steps of all runs; steps of one run may fill a page."""
_SHOWN = ("step_id", "type", "name", "agent_name", "has_error")
_MOST_ERROR = 200


def steps_filter(where: str, text: str) -> str:
    """Return a filter for the steps by which runs match ``where`` and ``text``; "" if none."""
    if shape := first_step_condition(where):
        return shape
    words = orjson.dumps(text).decode()
    return f"input: {words} or output: {words}" if text else ""


async def matching_steps(trace_ids: Sequence[str], ask: Ask) -> dict[str, Json]:
    """Return the first matching step of each run; ``ask`` returns steps for a filter of runs."""
    first: dict[str, Json] = {}
    for _ in range(MOST_ROUNDS):
        left = [trace_id for trace_id in dict.fromkeys(trace_ids) if trace_id not in first]
        steps = await ask(f"trace_id in ({', '.join(map(_quoted, left))})") if left else []
        if not steps:
            break
        for step in steps:
            first.setdefault(step["trace_id"], _shown(step))
    return first


def _shown(step: Json) -> Json:
    fields = {name: step[name] for name in _SHOWN if step.get(name)}
    if error := step.get("error_message"):
        fields["error"] = shortened(error, _MOST_ERROR)
    return fields


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()
