"""Points in time as users write them."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from spanloom.client.moments import milliseconds_of

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY_MS = 86_400_000


@pytest.fixture(params=["UTC", "Asia/Shanghai", "America/Los_Angeles"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
def test_days_begin_at_midnight_here() -> None:
    now = datetime.now().astimezone()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    assert milliseconds_of("today") == milliseconds_of(midnight)
    yesterday = (midnight - timedelta(days=1)).date()
    begun = datetime.fromtimestamp(milliseconds_of("Yesterday") / 1_000).astimezone()
    assert (begun.date(), begun.hour, begun.minute) == (yesterday, 0, 0)


def test_now_and_what_is_none() -> None:
    assert 0 <= milliseconds_of("now") - milliseconds_of("1s") - 1_000 < DAY_MS
    for text in ("tomorrow", "week", "ago", "am", "last", "2 months ago", "last 2", "1 d 2"):
        with pytest.raises(ValueError, match="yesterday, monday or a date"):
            milliseconds_of(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2 days ago", 2 * 86_400),
        ("2 days", 2 * 86_400),
        ("an hour ago", 3_600),
        ("last hour", 3_600),
        ("Past 3 hours", 3 * 3_600),
        ("5 min ago", 300),
        ("last week", 7 * 86_400),
        ("a week ago", 7 * 86_400),
        ("2w", 14 * 86_400),
    ],
)
def test_how_long_ago_in_words(text: str, seconds: int) -> None:
    late_ms = milliseconds_of("now") - milliseconds_of(text) - seconds * 1_000
    assert abs(late_ms) < 60_000


@pytest.mark.usefixtures("zone")
def test_weekdays_are_the_last_ones() -> None:
    began = {
        datetime.fromtimestamp(milliseconds_of(name) / 1_000).astimezone()
        for name in ("Monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    }
    assert {(day.hour, day.minute) for day in began} == {(0, 0)}
    today = datetime.now().astimezone().date()
    assert {today - day.date() for day in began} == {timedelta(days=n) for n in range(7)}
