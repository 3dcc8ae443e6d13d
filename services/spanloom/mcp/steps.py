"""The steps of a document as an agent reads them: as an outline, and one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document import Document
from spanloom.core.showing import step_outline
from spanloom.mcp.cutting import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.showing.step_outline import Placed

    Json = Mapping[str, Any]

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
        "id": step.id,
        "parent_id": step.parent_id,
        "type": step.type,
        "name": _short(step.name),
        "agent": _short(own.agent),
        "started_at_ms": step.basic_info["started_at"],
        "ms": step.duration,
        "input": shortened(step.input, max_chars),
        "output": shortened(step.output, max_chars),
        "metadata": {_short(k): _short(str(v)) for k, v in step.metadata.items()},
    }
    if own.error:
        told["error"] = shortened(own.error, max_chars)
    if step.model_info:
        told["tokens"] = step.model_info
    return told


def head_of(document: Json, steps: int) -> Json:
    """Return what is told of a run as a whole."""
    told = Document(document)
    root, extraction = told.root, told.extraction
    shown = ("status", "outcome", "agents", "models", "cost", "conversation_id", "warnings")
    return {
        "trace_id": told.id,
        "name": root.name,
        "started_at_ms": root.basic_info["started_at"],
        "ms": root.duration,
        "question": shortened(root.input, 400),
        "answer": shortened(root.output, 400),
        "steps": steps,
        "metrics": root.metrics_info,
        **{name: extraction[name] for name in shown if name in extraction},
    }


def _short(value: Any) -> Any:  # as JSON has it
    return shortened(value, MOST_OF_A_NAME) if isinstance(value, str) else value
