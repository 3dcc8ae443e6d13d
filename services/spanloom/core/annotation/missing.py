"""What is missing before somebody is done with a run: what its scheme requires, by its kind.

``trajectory_eval`` and ``process_reward`` require a judgement of every step,
``failure_attribution`` who failed and where, ``trajectory_edit`` a reason with every edit
(``require_reason_on_edit``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.annotation.score import score_of
from spanloom.core.model.annotation import NOTHING, WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Mark

_ATTRIBUTED = {"responsible_agent": "which agent is responsible", "decisive_step": "at which step"}


def what_is_missing(scheme: Scheme, marks: Mapping[str, Mark], steps: AbstractSet[str]) -> str:
    """Return what keeps an annotator from being done, in words; empty if nothing does.

    ``marks`` are theirs by step id, that of the whole run among them; ``steps`` are to be judged.
    """
    return " ".join(_missing(scheme, marks, steps))


def _missing(scheme: Scheme, marks: Mapping[str, Mark], steps: AbstractSet[str]) -> Iterator[str]:
    if scheme.is_required and scheme.is_stepwise:
        score = score_of(scheme, marks, steps)
        if not score.is_complete:
            wrong = f"{score.unweighed} wrong ones have no severity"
            yield f"{score.unjudged} steps are not judged, and {wrong}."
    if scheme.is_required and scheme.kind == "failure_attribution":
        whole = marks.get(WHOLE, NOTHING).value
        if unsaid := [words for key, words in _ATTRIBUTED.items() if not whole.get(key)]:
            yield f"It is not said {' and '.join(unsaid)}."
    if scheme.needs_reason and (count := sum(map(_unexplained, marks.values()))):
        yield f"{count} corrections have no reason."


def _unexplained(mark: Mark) -> int:
    """Return how many corrections of a mark say not why."""
    corrections = mark.value.get("corrections")
    found = corrections if isinstance(corrections, list) else []
    return sum(isinstance(one, dict) and not one.get("reason") for one in found)
