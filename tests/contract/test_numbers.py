"""Aggregates over runs: of no runs at all, and per project with the start of the newest."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from tests.support.isolation import make_twins

from spanloom.api.admin.projects import RUNS
from spanloom.core.model.access import Reach
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


def test_without_groups_there_is_always_one(store: Store, new_project: Callable[[], str]) -> None:
    of = Subject.RUN
    alone = Numbers(of, parse_metrics("count,sum(input_tokens),p95(duration)", of))
    [group] = store.stats.numbers(Reach.only(new_project()), None, alone)
    assert group.values[0] == 0
    assert not any(group.values)
    grouped = alone._replace(by=parse_by("model", of))
    assert store.stats.numbers(Reach.only(new_project()), None, grouped) == []


def test_a_project_has_its_runs_and_the_start_of_the_newest(
    store: Store, new_project: Callable[[], str]
) -> None:
    mine, theirs = new_project(), new_project()
    make_twins(store, mine, theirs, secrets.token_hex(16))
    groups = store.stats.numbers(Reach.only(mine, theirs), None, RUNS)
    assert {group.by[0] for group in groups} == {mine, theirs}
    [group] = store.stats.numbers(Reach.only(mine), None, RUNS)
    listed = store.runs.list(Reach.only(mine), None, 10)
    count, newest_ns = group.values
    assert (group.by, count) == ([mine], len(listed))
    assert newest_ns is not None
    assert int(newest_ns) // 1_000_000 == max(one.run.started_at for one in listed)
