"""What Potato stores of one item under ``trajectory_eval``, from our marks and back.

Two behaviours are in the field: 2.8 keeps a score whatever is missing and can leave ``null`` holes
among the steps, 2.12 writes ``score: null`` until it is complete. Both are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.annotation.score import plain
from spanloom.core.model.annotation import MARK_FIELDS, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.annotation.score import Score

    Json = dict[str, Any]  # as JSON gives and takes it


def write_answer(marks: Mapping[str, Mark], steps: Sequence[str], score: Score) -> Json:
    """Return the answer of one annotator; ``steps`` are the ids in the order of the item."""
    return {
        "steps": [_step(at, marks.get(step_id)) for at, step_id in enumerate(steps)],
        "score": plain(score.value) if score.is_complete else None,
        "score_complete": score.is_complete,
    }


def read_steps(answer: Json) -> Iterator[tuple[int, Json]]:
    """Yield each step that the answer says something of, with its index from 0.

    What is ``null``, not there, or has nothing in it says nothing.
    """
    steps = answer.get("steps")
    for at, step in enumerate(steps if isinstance(steps, list) else []):
        if isinstance(step, dict):
            index = step.get("step_index", at)
            if isinstance(index, int) and any(step.get(name) for name in MARK_FIELDS):
                yield index, step


def read_mark(step: Json, known: frozenset[str] = frozenset()) -> Mark:
    """Return a step of an answer as a mark; keys that nobody knows stay in its value."""
    texts: dict[str, Any] = {name: str(step.get(name) or "") for name in MARK_FIELDS}
    apart = {"step_index", "step_id", "value", *MARK_FIELDS, *known}
    more = {key: value for key, value in step.items() if key not in apart and value is not None}
    given = step.get("value")
    return Mark(**texts, value={**more, **(given if isinstance(given, dict) else {})})


def _step(at: int, mark: Mark | None) -> Json:
    if mark is None or not mark.correctness:
        return {"step_index": at, "correctness": None}
    said = {name: getattr(mark, name) for name in MARK_FIELDS if getattr(mark, name)}
    return {"step_index": at, **said, **mark.value}
