"""Similar calls and runs are compared only with those near in time, which bounds the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.duplicates import traces as duplicates
from spanloom.core.duplicates import traces as repeated_runs
from spanloom.core.duplicates.matching import slack_ns
from spanloom.core.duplicates.traces import most_apart_ns
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.calls import Call, CallWindow, Extent
from spanloom.extractor import duplicates as repeats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

MANY = 1_000
APART_NS, LASTS_NS = 100_000_000, 50_000_000


class Nothing:
    """A store without calls."""

    def find(self, _project: str, _windows: Sequence[CallWindow]) -> Sequence[Call]:
        return []


def call(number: int, *, bare: bool = False, key: str = "said") -> Call:
    start_ns = number * APART_NS
    return Call(
        TraceKey("p", f"{number:032x}"),
        "1" * 16,
        key,
        start_ns,
        start_ns + LASTS_NS,
        bare,
        f"d{number % 2}",
        Extent(0, 1) if "lone" in key else Extent(1, 1),
    )


def bare_calls() -> Iterator[Call]:
    return (call(number, bare=True) for number in range(MANY))


def runs_of_one_call() -> Iterator[Call]:
    return map(call, range(MANY))


def tools_torn_off_and_not() -> Iterator[Call]:
    """Yield per moment a tool within a run and one without its run, of one instrumentation."""
    for number in range(MANY):
        yield call(number, key="tool:said")
        yield call(number, key="lone:said")._replace(key=TraceKey("p", f"{number:031x}f"))


@pytest.mark.parametrize("made", [bare_calls, runs_of_one_call, tools_torn_off_and_not])
def test_a_script_that_does_the_same_is_compared_with_its_neighbours(
    monkeypatch: pytest.MonkeyPatch, made: Callable[[], Iterator[Call]]
) -> None:
    compared = 0

    def find_original(one: Call, others: Iterable[Call]) -> Call | None:
        nonlocal compared
        compared += len(found := list(others))
        return duplicates.find_original(one, found)

    def find_original_run(own: Sequence[Call], others: Iterable[Sequence[Call]]) -> Call | None:
        nonlocal compared
        compared += len(found := list(others))
        return repeated_runs.find_original_run(own, found)

    monkeypatch.setattr(repeats, "find_original", find_original)
    monkeypatch.setattr(repeats, "find_original_run", find_original_run)
    found = repeats.find_repeats(Nothing(), {c.key: [c] for c in made()}, ())
    assert found.originals == {}
    assert compared < 10 * MANY


TIMES = st.tuples(st.integers(0, 10**10), st.integers(-(10**9), 10**10))


@given(TIMES, TIMES)
def test_no_other_report_of_a_call_begins_farther_away(
    ours: tuple[int, int], theirs: tuple[int, int]
) -> None:
    one, other = (
        Call(TraceKey("p", "a"), "1", "said", start, start + lasts, False)
        for start, lasts in (ours, theirs)
    )
    slack = max(slack_ns(c.start_ns, c.end_ns) for c in (one, other))
    apart = abs(one.start_ns - other.start_ns), abs(one.end_ns - other.end_ns)
    if max(apart) <= slack:
        assert apart[0] <= most_apart_ns(one)


def test_a_bare_call_that_began_first_is_compared_with_the_run_beside_it() -> None:
    run = call(1, bare=False)._replace(start_ns=10, end_ns=50)
    bare = call(2, bare=True)._replace(start_ns=5, end_ns=40)
    found = repeats.find_repeats(Nothing(), {c.key: [c] for c in (run, bare)}, ())
    assert {key: of.trace_id for key, of in found.originals.items()} == {bare.key: run.key.trace_id}
