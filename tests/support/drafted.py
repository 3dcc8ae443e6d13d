"""Converts a canonical document into a ``Draft``, and has a handmade document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanloom.core.conventions.imported import TOKEN_COUNTS
from spanloom.core.document import Document
from spanloom.core.exchange.drafts import STEP_KINDS, Draft, DraftStep, usage_of
from spanloom.core.model.step import StepError
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.document import DocumentStep

FOLDER = Path(__file__).parents[1] / "fixtures" / "exchange"


def planner() -> dict[str, Any]:
    """Return a run with a sub-agent, parallel calls and a failure (``planner.json``)."""
    document: dict[str, Any] = json.loads((FOLDER / "planner.json").read_text("utf-8"))
    return document


def draft_of(document: dict[str, Any]) -> Draft:
    """Return the run of a document as a reader of another format would draft it."""
    view = Document(document)
    root = view.root
    below = [step for step in view.by_id().values() if step.id != root.id]
    steps = [_step(root, ""), *(_step(step, step.parent_id or root.id) for step in below)]
    return Draft(view.id, "default", "made", steps)


def _step(step: DocumentStep, parent_id: str) -> DraftStep:
    error, info = step.error, step.model_info
    return DraftStep(
        step.id,
        parent_id,
        STEP_KINDS.get(step.type, Kind.OTHER),
        step.name,
        step.input,
        step.output,
        step.started_at,
        step.duration,
        StepError(error["code"], error["msg"]) if error else None,
        usage_of(info.get(name) for name in TOKEN_COUNTS) if info else None,
        step.model,
        metadata={k: v for k, v in step.metadata.items() if k != "model"},
    )
