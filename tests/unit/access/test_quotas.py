"""Quotas of projects: reached, kept over a restart, freed by retention, at the door."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from spanloom.access.quotas import Quotas
from spanloom.access.rates import ProjectLimits, Rates
from spanloom.core.errors import RateLimitedError
from spanloom.storage.access.usage import SqliteUsage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY_S = 86_400


class Clock:
    def __init__(self) -> None:
        self.now_s = 20_000.0 * DAY_S

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def usage(tmp_path: Path) -> Iterator[SqliteUsage]:
    with closing(SqliteUsage(tmp_path / "usage.sqlite")) as opened:
        yield opened


def quotas_of(usage: SqliteUsage, clock: Clock, retention_days: int = 0) -> Quotas:
    own = {"big": ProjectLimits(stored_bytes=1_000), "free": ProjectLimits()}
    return Quotas(usage, ProjectLimits(stored_bytes=100), own, retention_days, clock)


def is_full(quotas: Quotas, project: str) -> bool:
    try:
        Rates(quotas=quotas).check(project)
    except RateLimitedError:
        return True
    return False


def test_a_full_project_is_refused_and_no_other(usage: SqliteUsage, clock: Clock) -> None:
    quotas = quotas_of(usage, clock)
    for project in ("small", "big", "free"):
        quotas.charge(project, 99)
        assert not is_full(quotas, project)
        quotas.charge(project, 1)
    assert [is_full(quotas, p) for p in ("small", "big", "free", "new")] == [True] + [False] * 3


def test_what_was_written_counts_after_a_restart(usage: SqliteUsage, clock: Clock) -> None:
    before = quotas_of(usage, clock)
    before.charge("small", 60)
    before.write()
    before.charge("small", 40)
    assert is_full(before, "small")
    before.write()
    before.write()  # writes nothing twice
    after = quotas_of(usage, clock)
    after.start()
    after.stop(5)
    assert is_full(after, "small")
    assert usage.totals(0) == {"small": 100}


def test_what_retention_lets_go_no_longer_counts(usage: SqliteUsage, clock: Clock) -> None:
    quotas = quotas_of(usage, clock, retention_days=2)
    quotas.charge("small", 100)
    for days, full in ((0, True), (2, True), (3, False)):
        clock.now_s = (20_000 + days) * DAY_S
        quotas.write()
        assert is_full(quotas, "small") is full
