"""The metrics of an agent are computed from its steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.spans import MS, START_NS, sid

from spanloom.core.extraction.metrics import measure, union_ns
from spanloom.core.model.step import Step, StepError, StepType, Usage
from spanloom.core.model.trajectory import Metrics


def step(
    number: int,
    kind: str,
    start: int = 0,
    end: int = 10,
    error: int | None = None,
    tokens: tuple[int, int] = (0, 0),
) -> Step:
    """Return a step; ``start`` and ``end`` are milliseconds."""
    return Step(
        id=sid(number),
        parent_id="",
        type=StepType(kind),
        name="",
        start_ns=START_NS + start * MS,
        end_ns=START_NS + end * MS,
        error=None if error is None else StepError(error, "failed"),
        usage=Usage(*tokens) if kind == "model" else None,
    )


def test_nothing_sums_up_to_zero() -> None:
    assert measure([]) == Metrics()


def test_models_and_tools_are_summed_agents_and_graphs_are_not() -> None:
    steps = [
        step(1, "agent", 0, 1000, error=-1),
        step(2, "graph", 0, 900, error=-1),
        step(3, "model", 0, 100, tokens=(5, 2)),
        step(4, "model", 50, 150, tokens=(7, 1)),
        step(5, "tool", 0, 30),
    ]
    assert measure(steps) == Metrics(
        llm_duration_ns=200 * MS,
        tool_duration_ns=30 * MS,
        tool_step_proportion=1 / 3,
        input_tokens=12,
        output_tokens=3,
    )


def test_errors_are_listed_by_code_and_counted_by_step() -> None:
    kinds = ["model"] * 4 + ["tool"] * 2
    codes = [429, None, -1, 429, 500, None]
    pairs = enumerate(zip(kinds, codes, strict=True), start=1)
    metrics = measure(step(n, kind, error=code) for n, (kind, code) in pairs)
    assert metrics.model_errors == {"-1": [sid(3)], "429": [sid(1), sid(4)]}
    assert metrics.tool_errors == {"500": [sid(5)]}
    assert (metrics.model_error_rate, metrics.tool_error_rate) == (0.75, 0.5)
    assert list(metrics.model_errors) == sorted(metrics.model_errors)


@pytest.mark.parametrize(("kind", "share"), [("model", 0.0), ("tool", 1.0), ("graph", 0.0)])
def test_the_share_of_tools(kind: str, share: float) -> None:
    assert measure([step(1, kind)]).tool_step_proportion == share


def test_a_clock_that_ran_backwards_gives_zero() -> None:
    assert measure([step(1, "model", 10, 3)]).llm_duration_ns == 0
    assert union_ns([step(1, "model", 10, 3), step(2, "model", 5, 8)]) == 3 * MS


@pytest.mark.parametrize(
    ("times", "ms"),
    [
        ([], 0),
        ([(0, 10), (20, 30)], 20),
        ([(0, 10), (5, 15)], 15),
        ([(0, 100), (5, 15), (90, 110)], 110),
        ([(0, 10), (10, 20)], 20),
        ([(0, 10), (0, 10)], 10),
    ],
)
def test_wall_time_counts_overlaps_once(times: list[tuple[int, int]], ms: int) -> None:
    assert union_ns(step(n, "model", *t) for n, t in enumerate(times)) == ms * MS


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=8))
def test_wall_time_is_the_number_of_milliseconds_in_use(times: list[tuple[int, int]]) -> None:
    used = {ms for start, end in times for ms in range(start, end)}
    assert union_ns(step(n, "tool", *t) for n, t in enumerate(times)) == len(used) * MS
