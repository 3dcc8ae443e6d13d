"""Rows that make the same call as the previous step are marked as repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanloom.core.document import Document
from spanloom.core.outline.rows import REPEATED, place_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

CALL = ("tool", "run_tests", "{}")
OTHER = ("tool", "run_tests", '{"path":"a"}')
MODEL = ("model", "gpt", "Why?")
AGENT = ("agent", "helper", "")


@pytest.mark.parametrize(
    ("steps", "repeated"),
    [
        ([CALL, CALL, CALL], [1, 2]),
        ([CALL, MODEL, CALL, MODEL, MODEL, CALL], [2, 5]),
        ([CALL, OTHER, CALL], []),
        ([CALL, AGENT, CALL], []),
        ([MODEL, MODEL, AGENT, AGENT], []),
    ],
)
def test_a_call_repeats_the_one_before_it(
    steps: Sequence[tuple[str, str, str]], repeated: list[int]
) -> None:
    assert _repeated(steps, [0] * len(steps)) == repeated


def test_a_call_of_another_agent_is_another_one() -> None:
    assert _repeated([AGENT, CALL, CALL], [0, 1, 0]) == []


def _repeated(steps: Sequence[tuple[str, str, str]], parents: Sequence[int]) -> list[int]:
    """Return the indexes from 0 of repeated calls; ``parents`` counts from 1, and 0 is the root."""
    owned = [
        {
            "id": f"{at:016x}",
            "parent_id": f"{parent:016x}",
            "type": kind,
            "name": name,
            "input": text,
            "basic_info": {},
        }
        for at, ((kind, name, text), parent) in enumerate(zip(steps, parents, strict=True), 1)
    ]
    root = {"id": f"{0:016x}", "parent_id": f"{0:016x}", "name": "all", "basic_info": {}}
    spans = [_span(root, "agent"), *(_span(step, str(step["type"])) for step in owned)]
    agent = {**root, "steps": owned}
    rows = place_rows(Document({"agent_steps": [agent], "root_step": root}).by_id(), spans)
    return [int(row.id, 16) - 1 for row in rows if row.flags & REPEATED]


def _span(step: dict[str, Any], kind: str) -> dict[str, Any]:
    own = {"span_id": step["id"], "step_id": step["id"], "parent_span_id": step["parent_id"]}
    return {**own, "name": "", "kind": kind, "started_at": "0", "duration": "1", "error": None}
