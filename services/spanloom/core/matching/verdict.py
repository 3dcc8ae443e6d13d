"""The result of a condition on one run: whether it holds, and the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.query.where.fields import Field, Value

MOST_PLACES = 100
"""Maximum number of steps that each operand of a condition lists as evidence."""


class Fact(NamedTuple):
    """A field of the run that the condition compared, with its values."""

    field: Field
    key: str
    values: Sequence[Value] | None
    """``None`` if the field is absent."""


class Verdict(NamedTuple):
    """Whether a condition holds, and the steps and fields that decided it."""

    holds: bool
    places: tuple[int, ...] = ()
    """The positions of steps, from 0: the steps that ``has`` bound, or that ``count`` counted."""
    facts: tuple[Fact, ...] = ()

    def denied(self) -> Verdict:
        """Return the result of ``not``, with the same evidence."""
        return self._replace(holds=not self.holds)


def joined(verdicts: Sequence[Verdict], *, all_needed: bool) -> Verdict:
    """Return the result of ``and`` or ``or``, with the evidence of the operands that decide it."""
    holds = (all if all_needed else any)(one.holds for one in verdicts)
    deciding = [one for one in verdicts if one.holds is holds]
    places = tuple(dict.fromkeys(place for one in deciding for place in one.places))
    return Verdict(holds, places, tuple(fact for one in deciding for fact in one.facts))


class Judgements(NamedTuple):
    """The annotations and scores of a run, and of its steps."""

    is_annotated: bool = False
    scores: Mapping[str, Sequence[float]] = {}
    """The values of each score, keyed by the score's name."""
    of_steps: Mapping[str, Judgements] = {}
    """The annotations and scores of steps, keyed by step id."""


NO_JUDGEMENTS = Judgements()
