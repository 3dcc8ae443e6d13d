"""The steps of a run in one order, with positions by which they refer to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from tests.support.trajectory_records import model_step

from spanloom.core.model.step import Step, StepType
from spanloom.core.query.flat_steps import (
    LONGEST_ATTRIBUTE,
    MOST_ATTRIBUTES,
    count_repeats,
    find_attributes,
    lay_flat,
    list_attributes,
)

if TYPE_CHECKING:
    from random import Random


def step(number: int, parent: int = 0, start_ns: int = 0, lasts_ns: int = 10) -> Step:
    own = model_step(number, start_ns)
    return own._replace(parent_id=f"{parent:016x}", end_ns=start_ns + lasts_ns)


def tool(number: int, name: str, said: str) -> Step:
    return step(number, start_ns=number)._replace(type=StepType.TOOL, name=name, input=said)


def test_steps_stand_by_start_and_the_longest_of_equal_starts_first() -> None:
    owned = [("", step(3, 1, lasts_ns=5)), ("", step(2, 3, -7)), ("", step(1, lasts_ns=50))]
    flat = lay_flat(owned)
    assert [int(f.step.id, 16) for f in flat] == [2, 1, 3]
    assert [f.parent for f in flat] == [3, 0, 2]


@st.composite
def trees(draw: st.DrawFn) -> list[Step]:
    """Draw steps, each below a step of lower number or the root, with any starts."""
    count = draw(st.integers(0, 12))
    starts = st.integers(0, 5)
    return [step(n, draw(st.integers(0, n - 1)), draw(starts)) for n in range(1, count + 1)]


@given(trees(), st.randoms())
def test_under_is_a_comparison_of_two_numbers(steps: list[Step], chance: Random) -> None:
    parents = {own.id: own.parent_id for own in steps}

    def is_under(below: str, above: str) -> bool:
        parent = parents.get(below)
        return parent in parents and (parent == above or is_under(parent, above))

    chance.shuffle(steps)
    flat = lay_flat([("", own) for own in steps])
    assert sorted(f.enter for f in flat) == list(range(1, len(flat) + 1))
    for a in flat:
        for b in flat:
            assert (a.enter < b.enter <= a.exit) == is_under(b.step.id, a.step.id)


def test_the_same_call_in_a_row_counts_whatever_models_say_in_between() -> None:
    calls = [tool(1, "find", "a"), tool(3, "find", "a"), tool(5, "find", "b"), tool(6, "find", "a")]
    flat = lay_flat(("", own) for own in [*calls, step(2, start_ns=2), step(4, start_ns=4)])
    assert count_repeats(flat) == (2, 3)
    assert count_repeats([]) == (0, 0)


def test_what_senders_add_is_found_and_what_we_say_of_a_span_is_not() -> None:
    told = {"tier": "gold", "rule": "x", "dialect": "y", "long": "z" * (LONGEST_ATTRIBUTE + 1)}
    assert list_attributes(told) == ["tier=gold"]
    many = [f"k{number:03}=v" for number in range(100)]
    found = find_attributes({"zone": "eu"}, told, [many])
    assert len(found) == MOST_ATTRIBUTES
    assert {"zone=eu", "tier=gold"} < set(found)
