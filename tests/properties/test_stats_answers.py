"""Aggregates over generated runs are the same from ClickHouse and counted one by one."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.support.generated_runs import generate_records
from tests.support.memory_store import MemoryStore

from spanloom.core.model.access import Reach
from spanloom.core.query.intervals import Interval
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_steps_where, parse_where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.store import Store
    from spanloom.core.query.stats import Group
    from spanloom.storage.store import ClickHouseStore

ALL = "count,rate(error),sum(cost),avg(cost),p95(duration),max(input_tokens),min(duration)"


DERIVED = (
    "avg(model_error_rate),max(tool_error_rate),p50(tool_step_proportion),avg(tokens_per_second),"
    "p95(first_token),max(wall_time),sum(repeated_calls)"
)


class Case(NamedTuple):
    """The parameters of an aggregation."""

    of: Subject
    metrics: str
    by: str = ""
    interval_s: int = 0
    where: str = ""
    steps_where: str = ""


@pytest.fixture(scope="module")
def stores(clickhouse_store: ClickHouseStore) -> tuple[str, Sequence[Store]]:
    project = f"p-{secrets.token_hex(4)}"
    both = (clickhouse_store, MemoryStore())
    records = generate_records(80, project)
    for store in both:
        store.trajectories.write(records)
    return project, both


@pytest.mark.parametrize(
    "case",
    [
        Case(Subject.RUN, ALL),
        Case(Subject.RUN, ALL, "model,environment"),
        Case(Subject.RUN, DERIVED, "release"),
        Case(Subject.RUN, "count", where="wall_time > 3s and not tokens_per_second < 100"),
        Case(Subject.RUN, "p50(tool_time),count", "outcome,has_error", 10),
        Case(Subject.RUN, "count", where='has(tool = "search" then error)'),
        Case(Subject.RUN, "count,sum(cost)", "user", where='trace_id = "none"'),
        Case(Subject.STEP, ALL, "type"),
        Case(Subject.STEP, ALL, "tool,owner,status", 30),
        Case(Subject.STEP, "count,p99(first_token)", "model", steps_where="type = model"),
        Case(
            Subject.STEP,
            "avg(output_tokens)",
            "error_code",
            where='has(agent = "refunds" under type exists)',
            steps_where='owner = "refunds" and not tool = "search"',
        ),
    ],
)
def test_both_stores_count_alike(stores: tuple[str, Sequence[Store]], case: Case) -> None:
    project, both = stores
    asked = Numbers(
        case.of,
        parse_metrics(case.metrics, case.of),
        parse_by(case.by, case.of),
        Interval(case.interval_s) if case.interval_s else None,
        where=parse_where(case.where, 0) if case.where else None,
        steps_where=parse_steps_where(case.steps_where, 0) if case.steps_where else None,
    )
    counted = [_rounded(s.stats.numbers(Reach.only(project), None, asked)) for s in both]
    assert counted[0] == counted[1]
    assert counted[0] or "none" in case.where


def _rounded(groups: Sequence[Group]) -> Sequence[tuple[object, ...]]:
    return [
        (*g.by, g.start_ns, *(None if v is None else round(v, 6) for v in g.values)) for g in groups
    ]


def test_no_more_groups_are_given_than_asked_for(stores: tuple[str, Sequence[Store]]) -> None:
    project, both = stores
    metrics, by = parse_metrics("count", Subject.STEP), parse_by("name", Subject.STEP)
    for store in both:
        top = Numbers(Subject.STEP, metrics, by, top=3)
        found = store.stats.numbers(Reach.only(project), None, top)
        counts = [group.values[0] or 0 for group in found]
        assert len(counts) == 3
        assert counts == sorted(counts, reverse=True)
