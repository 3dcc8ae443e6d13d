"""The steps of a document as an agent reads them: as an outline, and one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.showing import step_outline
from spanloom.mcp.data import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.showing.step_outline import Placed

    Json = Mapping[str, Any]


def outline(steps: Sequence[Placed]) -> Iterator[Json]:
    """Yield the lines of ``core.showing.step_outline``, their failures shortened."""
    for line in step_outline.outline(steps):
        yield line | {"error": shortened(line["error"], 200)} if "error" in line else line


def tell(own: Placed, max_chars: int) -> Json:
    """Return all that is told of a step, its texts shortened."""
    step = own.step
    told: dict[str, object] = {
        "step": own.place,
        "id": step["id"],
        "parent_id": step["parent_id"],
        "type": step["type"],
        "name": step["name"],
        "agent": own.agent,
        "started_at_ms": step["basic_info"]["started_at"],
        "ms": int(step["basic_info"]["duration"]),
        "input": shortened(step["input"], max_chars),
        "output": shortened(step["output"], max_chars),
        "metadata": {k: shortened(str(v), 200) for k, v in step["metadata"].items()},
    }
    if own.error:
        told["error"] = shortened(own.error, max_chars)
    if "model_info" in step:
        told["tokens"] = step["model_info"]
    return told
