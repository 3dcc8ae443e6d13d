"""Intervals begin by the local time of a time zone, also across its changes, in every store."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from tests.support.trajectory_lists import trace
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.query.intervals import parse_interval
from spanloom.core.query.stats import Numbers, parse_metrics
from spanloom.core.query.where.fields import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.ports.store import Store
    from spanloom.core.query.stats import Group

COUNTED = Numbers(Subject.RUN, parse_metrics("count,sum(steps)", Subject.RUN))
CHANGES = {
    "America/New_York": ("2024-03-10", "2024-11-03"),
    "Asia/Beirut": ("2024-03-31", "2024-10-27"),  # at midnight, which is skipped in spring
    "America/Havana": ("2024-03-10", "2024-11-03"),  # midnight comes twice in autumn
    "Australia/Lord_Howe": ("2024-04-07", "2024-10-06"),  # changes by half an hour
    "Pacific/Apia": ("2011-12-30",),  # skipped a day
    "Asia/Kathmandu": ("2024-03-10",),  # 5:45 ahead, without changes
    "UTC": ("2024-03-10",),
}
LENGTHS = ("20m", "1h", "6h", "7h", "1d", "3d", "1w")


def _moments(zone: str) -> Sequence[int]:
    """Return start times around the changes of a zone, in seconds since the epoch."""
    random = Random(zone)
    days = [datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone)) for day in CHANGES[zone]]
    noons = [int((day + timedelta(hours=12)).timestamp()) for day in days]
    near = [noon + random.randrange(-129_600, 86_400) for noon in noons for _ in range(20)]
    far = [noon + random.randrange(-(10**7), 10**7) for noon in noons for _ in range(3)]
    return [0, 86_399, *near, *far]


@pytest.fixture(scope="module")
def both(memory_store: Store, clickhouse_store: Store, worker_id: str) -> Sequence[Store]:
    """Return both stores with runs around the changes of each zone, in a project per zone."""
    stores = (clickhouse_store, memory_store)
    records = []
    for zone in CHANGES:
        for n, moment in enumerate(_moments(zone)):
            key = TraceKey(f"{zone} {worker_id}", trace(n))
            records.append(make_record(key, make_trajectory(key, moment * 10**9 + n)))
    for store in stores:
        store.trajectories.write(records)
    return stores


def _groups(store: Store, project: str, length: str, zone: str) -> Sequence[Group]:
    asked = COUNTED._replace(interval=parse_interval(length, zone))
    return store.stats.numbers(Reach.only(project), None, asked)


@pytest.mark.parametrize("zone", CHANGES)
def test_stores_agree_across_changes(both: Sequence[Store], zone: str, worker_id: str) -> None:
    project = f"{zone} {worker_id}"
    [whole] = both[0].stats.numbers(Reach.only(project), None, COUNTED)
    for length in LENGTHS:
        groups, others = (_groups(store, project, length, zone) for store in both)
        assert groups == others, length
        sums = [sum(group.values[n] or 0 for group in groups) for n in range(2)]
        assert sums == whole.values, length


@pytest.mark.parametrize(
    ("zone", "length", "day", "hours"),
    [
        ("America/New_York", "1d", "2024-03-10", {0: 23}),
        ("America/New_York", "1d", "2024-11-03", {0: 25}),
        ("America/New_York", "6h", "2024-11-03", {0: 7, 6: 6, 12: 6, 18: 6}),
        ("America/New_York", "6h", "2024-03-10", {0: 5, 6: 6, 12: 6, 18: 6}),
        ("Asia/Beirut", "1d", "2024-03-31", {1: 23}),
        ("America/Havana", "1d", "2024-11-03", {0: 25}),
    ],
)
def test_an_interval_is_as_long_as_the_clock_says(
    store: Store,
    new_project: Callable[[], str],
    *,
    zone: str,
    length: str,
    day: str,
    hours: dict[int, int],
) -> None:
    project, clock = new_project(), ZoneInfo(zone)
    noon = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=clock).timestamp()
    keys = [TraceKey(project, trace(n)) for n in range(72)]
    first = int(noon) // 3600 * 3600 - 36 * 3600 + 1800
    store.trajectories.write(
        [
            make_record(key, make_trajectory(key, (first + n * 3600) * 10**9))
            for n, key in enumerate(keys)
        ]
    )
    found = {
        (_at := datetime.fromtimestamp((group.start_ns or 0) / 1e9, clock)): group.values[0]
        for group in _groups(store, project, length, zone)
    }
    assert {at.hour: n for at, n in found.items() if at.date().isoformat() == day} == hours


def test_weeks_begin_on_monday(store: Store, new_project: Callable[[], str]) -> None:
    project = new_project()
    sunday = int(datetime.fromisoformat("2024-05-05T23:59:59+00:00").timestamp())
    for n, at in enumerate((sunday, sunday + 1)):
        key = TraceKey(project, trace(n))
        store.trajectories.write([make_record(key, make_trajectory(key, at * 10**9))])
    for zone in ("UTC", "Africa/Abidjan"):  # the same time, computed in another way
        days = [(group.start_ns or 0) // 10**9 for group in _groups(store, project, "1w", zone)]
        assert days == [sunday + 1 - 7 * 86_400, sunday + 1]


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("Europe/Berln", "did you mean Europe/Berlin?"),
        ("europe/berlin", "did you mean Europe/Berlin?"),
        ("X'); --", "IANA names such as Europe/Berlin"),
        ("", "IANA names"),
    ],
)
def test_an_unknown_time_zone_is_refused(store: Store, zone: str, said: str) -> None:
    with pytest.raises(InvalidQueryError, match="is no time zone") as refused:
        _groups(store, "any", "1d", zone)
    assert said in str(refused.value)
    assert refused.value.parameter == "timezone"
