"""Annotations, scores and stored versions for store tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.annotation import Anchor, Annotation, Mark, Origin, Slot

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey

STEP = f"{2:016x}"
SCHEME = "step_evaluation"


def annotation(
    key: TraceKey,
    step_id: str = STEP,
    *,
    annotator: str = "ada",
    revision: int = 1,
    correctness: str = "correct",
    write_id: str = "",
    at_us: int = 0,
    is_deleted: bool = False,
    scheme: str = SCHEME,
) -> Annotation:
    """Return an annotation row; the default write id names annotator, step and revision."""
    return Annotation(
        slot=Slot(key, scheme, annotator, step_id),
        revision=revision,
        write_id=write_id or f"w-{annotator}-{step_id}-{revision}",
        base_revision=revision - 1,
        at_us=at_us or 1_000_000 + revision,
        origin=Origin.HUMAN,
        scheme_hash="h",
        anchor=Anchor(1, "hash", "agent", 1, "tool", "planner", "search: answer"),
        mark=Mark(
            correctness,
            rationale='</script> "quoted" 中文 😀',
            value={"odd": [1, None, {"a": "b"}]},
        ),
        penalty=5.0 if correctness == "incorrect" else 0.0,
        group="g",
        is_deleted=is_deleted,
    )
