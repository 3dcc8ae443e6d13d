"""Extractors that share a server rebuild runs within a budget; the embedded store has none."""

from __future__ import annotations

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.sharing import ALL, SLICES
from spanloom.extractor.budget import AT_FIRST, EVERY_S, MOST, OF_ARRIVED, QUIET_S, Budget
from spanloom.extractor.readiness import NS, PendingTrace

EVERY = frozenset(range(SLICES))
HALF = frozenset(range(SLICES // 2))
MUCH = round(AT_FIRST)


def trace(number: int, spans: int, last_s: float = 0, *, is_built: bool = False) -> PendingTrace:
    key = TraceKey("p", f"{number:032x}")
    last_ns = int(last_s * NS)
    known = {(1, spans)}
    return PendingTrace(
        key, known, number, last_ns, has_root=True, span_count=spans, is_built=is_built
    )


def numbers(due: object) -> list[int]:
    return [int(trace.key.trace_id, 16) for trace, _ in due]  # type: ignore[attr-defined]


LIVE = [(trace(n, MUCH), Status.LIVE) for n in (1, 2, 3)]


def test_without_sharing_everything_is_built() -> None:
    assert Budget().affordable(LIVE, ALL, 0, 0) is LIVE


def test_the_run_that_waits_longest_is_built_and_the_others_wait() -> None:
    budget = Budget()
    assert numbers(budget.affordable(LIVE[::-1], EVERY, 0, 0)) == [1]
    assert numbers(budget.affordable(LIVE[1:], EVERY, 0, 0)) == []
    assert numbers(budget.affordable(LIVE[1:], EVERY, round(1 / OF_ARRIVED), NS)) == [2]


def test_time_alone_earns_a_little() -> None:
    budget = Budget()
    budget.affordable(LIVE, EVERY, 0, 0)
    assert numbers(budget.affordable(LIVE[1:], EVERY, 0, round(NS / EVERY_S / 2))) == [2]


def test_two_extractors_have_half_of_it_each() -> None:
    budget = Budget()
    live = [(trace(n, MUCH // 2), Status.LIVE) for n in (1, 2)]
    assert numbers(budget.affordable(live, HALF, 0, 0)) == [1]


def test_complete_runs_are_built_however_much_was_read() -> None:
    budget = Budget()
    budget.affordable([(trace(1, 10**6), Status.LIVE)], EVERY, 0, 0)
    settled = [(trace(2, 10**6), Status.SETTLED), (trace(3, 10**6), Status.PARTIAL)]
    assert budget.affordable(settled, EVERY, 0, 0) == settled


def test_a_complete_run_that_goes_on_waits_until_it_is_quiet() -> None:
    budget = Budget()
    budget.affordable([(trace(1, 10**6), Status.LIVE)], EVERY, 0, 0)
    again = [(trace(2, 1, last_s=1, is_built=True), Status.SETTLED)]
    assert budget.affordable(again, EVERY, 0, 2 * NS) == []
    assert budget.affordable(again, EVERY, 0, round((1 + QUIET_S) * NS)) == again


def test_what_one_large_run_cost_is_paid_back_within_minutes() -> None:
    budget = Budget()
    budget.affordable([(trace(1, 10**6), Status.LIVE)], EVERY, 0, 0)
    later_ns = round((MOST / EVERY_S + 1) * NS)
    assert numbers(budget.affordable(LIVE[:1], EVERY, 0, later_ns)) == [1]
