"""Shrinks steps that break an invariant, if Hypothesis did not generate them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.steps import play

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.simulation.steps import Step


def breach(setup: Step, steps: Sequence[Step], name: str) -> str:
    """Return how the steps break the invariant; empty if they do not."""
    try:
        play(setup, steps, {name})
    except AssertionError as error:
        return str(error)
    return ""


def shrink(setup: Step, steps: Sequence[Step], name: str) -> tuple[Step, Sequence[Step]]:
    """Return a setup and steps of which nothing can be left out, and no number lowered."""
    best = setup, steps
    while (found := next((o for o in simpler(*best) if breach(*o, name)), None)) is not None:
        best = found
    return best


def simpler(setup: Step, steps: Sequence[Step]) -> Iterator[tuple[Step, Sequence[Step]]]:
    """Yield setups and steps that are simpler by one change, the largest changes first."""
    size = len(steps)
    while size := size // 2:
        for at in range(0, len(steps), size):
            yield setup, [*steps[:at], *steps[at + size :]]
    if len(steps) == 1:
        yield setup, []
    for lower in lowered(setup):
        yield lower, steps
    for at, step in enumerate(steps):
        for lower in lowered(step):
            yield setup, [*steps[:at], lower, *steps[at + 1 :]]


def lowered(numbers: Step) -> Iterator[Step]:
    """Yield the step with one of its numbers lowered."""
    for at, number in enumerate(numbers):
        if isinstance(number, int):
            for lower in range(number):
                yield (*numbers[:at], lower, *numbers[at + 1 :])
