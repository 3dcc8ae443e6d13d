"""After any steps of collectors, extractors and the store, all invariants hold."""

from __future__ import annotations

import os
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.simulation.found import FOUND, Found
from tests.simulation.invariants import BROKEN
from tests.simulation.shrink import shrink
from tests.simulation.steps import NAMES, SETUP, STEPS, Step, by_chance, held, play
from tests.support.examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import Tell

A_SETUP = st.tuples(*(st.integers(0, most - 1) for most in SETUP))
A_STEP = st.sampled_from(NAMES).flatmap(
    lambda name: st.tuples(st.just(name), *(st.integers(0, most - 1) for most in STEPS[name][1]))
)
STEPS_A_WORLD = 60
EVERY_DAY = 6_000
"""Steps of the driver with a fixed seed in every test run."""


@given(A_SETUP, st.lists(A_STEP, max_size=STEPS_A_WORLD))
@settings(deadline=None, max_examples=examples(2000, every_day=50))
def test_every_run_comes_to_rest_as_it_should(setup: Step, steps: Sequence[Step]) -> None:
    play(setup, steps, held())


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(
            found,
            id=f"{number}-{found.name}",
            marks=pytest.mark.xfail(
                not found.is_mended,
                strict=True,
                raises=AssertionError,
                reason=BROKEN.get(found.name, ""),
            ),
        )
        for number, found in enumerate(FOUND)
    ],
)
def test_what_was_found_once_holds(found: Found) -> None:
    play(found.setup, found.steps, {found.name, *held()})


def test_the_first_steps_of_the_long_run() -> None:
    drive(EVERY_DAY, seed=0)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_a_long_run(tell: Tell) -> None:
    """The invariants hold in a long random run.

    ``SPANLOOM_SIM_STEPS=1000000 pytest -m slow tests/simulation`` takes minutes;
    ``SPANLOOM_SIM_SEED`` sets the first seed.
    """
    steps = int(os.environ.get("SPANLOOM_SIM_STEPS", "200000"))
    seed = int(os.environ.get("SPANLOOM_SIM_SEED", "1000000"))
    began = time.process_time()
    drive(steps, seed)
    took = time.process_time() - began
    tell(f"{steps} steps of the simulation: {steps / took:.0f} steps/s, {took:.0f} s of CPU")


def drive(count: int, seed: int) -> None:
    """Execute ``count`` steps in worlds with consecutive seeds; report a breach in shrunk form."""
    for world in range(count // STEPS_A_WORLD):
        setup, steps = by_chance(Random(seed + world), STEPS_A_WORLD)
        try:
            play(setup, steps, held())
        except AssertionError as error:
            name, _, why = str(error).partition(":")
            small = shrink(setup, steps, name)
            pytest.fail(f"seed {seed + world}: {name}:{why}\n{small}")
