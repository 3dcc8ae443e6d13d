"""Where annotators differ and nobody has decided: what is left of an adjudication.

Example: ada finds a step correct, bo incorrect; it is decided once somebody who saw both has said
what it is (origin ``adjudication``).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.model.annotation import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.annotation import Annotation, Mark

_OF_THE_WHOLE = ("decisive_step", "responsible_agent")


def undecided(said: Iterable[tuple[str, Annotation]]) -> Sequence[str]:
    """Return the steps, empty for the whole run, that are judged differently and not decided.

    Each annotation comes with the step that it stands at.
    """
    answers, decided = defaultdict[str, set[object]](set), set[str]()
    for step_id, row in said:
        if row.origin is Origin.ADJUDICATION:
            decided.add(step_id)
        else:
            answers[step_id].add(_answer(row.mark))
    return [step for step, given in answers.items() if len(given) > 1 and step not in decided]


def _answer(mark: Mark) -> object:
    """Return what is compared of a mark: all but its reasons."""
    texts = (mark.correctness, mark.error_type, mark.error_subtype, mark.severity)
    return texts, tuple(str(mark.value.get(name)) for name in _OF_THE_WHOLE)
