"""Comparing calls and runs that are alike costs as much as there are near each other in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.extraction.reports import duplicates, repeated_runs
from spanloom.core.extraction.reports.likeness import slack_ns
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.building import CallWindow, ModelCall
from spanloom.extractor import repeats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MANY = 1_000
APART_NS, LASTS_NS = 100_000_000, 50_000_000


class Nothing:
    """A store without calls."""

    def find_calls(self, _project: str, _windows: Sequence[CallWindow]) -> Sequence[ModelCall]:
        return []


def call(number: int, *, bare: bool) -> ModelCall:
    start_ns = number * APART_NS
    key = TraceKey("p", f"{number:032x}")
    return ModelCall(
        key, "1" * 16, "said", start_ns, start_ns + LASTS_NS, bare, f"d{number % 2}", 1
    )


@pytest.mark.parametrize("bare", [True, False])
def test_a_script_that_asks_the_same_is_compared_with_its_neighbours(
    monkeypatch: pytest.MonkeyPatch, bare: bool
) -> None:
    compared = 0

    def find_original(one: ModelCall, others: Iterable[ModelCall]) -> ModelCall | None:
        nonlocal compared
        compared += len(found := list(others))
        return duplicates.find_original(one, found)

    def find_original_run(
        own: Sequence[ModelCall], others: Iterable[Sequence[ModelCall]]
    ) -> ModelCall | None:
        nonlocal compared
        compared += len(found := list(others))
        return repeated_runs.find_original_run(own, found)

    monkeypatch.setattr(repeats, "find_original", find_original)
    monkeypatch.setattr(repeats, "find_original_run", find_original_run)
    calls = [call(number, bare=bare) for number in range(MANY)]
    found = repeats.find_repeats(Nothing(), {c.key: [c] for c in calls})
    assert found.originals == {}
    assert compared < 10 * MANY


TIMES = st.tuples(st.integers(0, 10**10), st.integers(-(10**9), 10**10))


@given(TIMES, TIMES)
def test_no_other_report_of_a_call_begins_farther_away(
    ours: tuple[int, int], theirs: tuple[int, int]
) -> None:
    one, other = (
        ModelCall(TraceKey("p", "a"), "1", "said", start, start + lasts, False)
        for start, lasts in (ours, theirs)
    )
    slack = max(slack_ns(c.start_ns, c.end_ns) for c in (one, other))
    apart = abs(one.start_ns - other.start_ns), abs(one.end_ns - other.end_ns)
    if max(apart) <= slack:
        assert apart[0] <= repeated_runs.most_apart_ns(one)


def test_a_bare_call_that_began_first_is_compared_with_the_run_beside_it() -> None:
    run = call(1, bare=False)._replace(start_ns=10, end_ns=50)
    bare = call(2, bare=True)._replace(start_ns=5, end_ns=40)
    found = repeats.find_repeats(Nothing(), {c.key: [c] for c in (run, bare)})
    assert {key: of.trace_id for key, of in found.originals.items()} == {bare.key: run.key.trace_id}
