"""The comparison of two lists of calls: their pairs, and the metrics of a result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from spanloom.evaluation.contract.errors import TooLargeError
from spanloom.evaluation.match.arguments import match_calls
from spanloom.evaluation.match.order import longest_common
from spanloom.evaluation.match.pairing import MAX_BEST, pair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.match.config import MatchConfig
    from spanloom.evaluation.subject.call import Call
    from spanloom.evaluation.subject.canonical import Budget

MAX_CALLS = 30_000
"""Maximum calls of a run and of a reference; a set of 30,000 positions takes 4 kB."""


@dataclass(frozen=True)
class Compared:
    """The calls of a run and of a reference, and which of them match."""

    actual: Sequence[Call]
    reference: Sequence[Call]
    masks: Sequence[int]
    """For each actual call, the positions of the reference calls that it matches, as bits."""

    @property
    def is_first_fit(self) -> bool:
        """Whether there were too many calls to compute the largest pairing."""
        return max(len(self.actual), len(self.reference)) > MAX_BEST

    @cached_property
    def partners(self) -> Sequence[int]:
        """For each actual call, the position of its partner in the reference, or -1."""
        return pair(self.masks, is_best=not self.is_first_fit)

    @cached_property
    def extra(self) -> Sequence[int]:
        """The positions of the actual calls without a partner."""
        return [at for at, partner in enumerate(self.partners) if partner < 0]

    @cached_property
    def missing(self) -> Sequence[int]:
        """The positions of the reference calls without a partner."""
        paired = set(self.partners)
        return [at for at in range(len(self.reference)) if at not in paired]

    def metrics(self) -> Mapping[str, float]:
        """Return precision, recall, F1 and order; 1 if both sides are empty."""
        ours, theirs = len(self.actual), len(self.reference)
        if not ours and not theirs:
            return {"precision": 1.0, "recall": 1.0, "f1": 1.0, "order": 1.0}
        pairs = ours - len(self.extra)
        return {
            "precision": _share(pairs, ours),
            "recall": _share(pairs, theirs),
            "f1": _share(2 * pairs, ours + theirs),
            "order": _share(longest_common(self.masks, theirs), theirs),
        }


def compare(
    actual: Sequence[Call], reference: Sequence[Call], config: MatchConfig, budget: Budget
) -> Compared:
    """Compare calls; raises ``TooLargeError`` for too many or too large calls."""
    if (count := max(len(actual), len(reference))) > MAX_CALLS:
        raise TooLargeError(f"{count:,} calls are more than {MAX_CALLS:,}")
    return Compared(actual, reference, match_calls(actual, reference, config, budget))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
