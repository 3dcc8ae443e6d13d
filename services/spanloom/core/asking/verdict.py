"""What a condition gives for one run: whether it holds, and what shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.query.where.fields import Field, Value

MOST_PLACES = 100
"""Steps that one part of a condition shows."""


class Fact(NamedTuple):
    """A field of the run that decided."""

    field: Field
    key: str
    values: Sequence[Value] | None
    """``None`` where it is absent."""


class Verdict(NamedTuple):
    """Whether a condition holds, and what decided that."""

    holds: bool
    places: tuple[int, ...] = ()
    """The positions of steps, from 0: those that ``has`` bound, or that ``count`` counted."""
    facts: tuple[Fact, ...] = ()

    def denied(self) -> Verdict:
        """Return the verdict of ``not``: the same decides."""
        return self._replace(holds=not self.holds)


def joined(verdicts: Sequence[Verdict], *, all_needed: bool) -> Verdict:
    """Return the verdict of ``and``, or ``or``: of the parts that decide it, in their order."""
    holds = (all if all_needed else any)(one.holds for one in verdicts)
    deciding = [one for one in verdicts if one.holds is holds]
    places = tuple(dict.fromkeys(place for one in deciding for place in one.places))
    return Verdict(holds, places, tuple(fact for one in deciding for fact in one.facts))


class Said(NamedTuple):
    """What annotators and evaluators said of a run, and of its steps."""

    is_annotated: bool = False
    scores: Mapping[str, Sequence[float]] = {}
    """By name."""
    of_steps: Mapping[str, Said] = {}
    """By step id."""


NOTHING_SAID = Said()
