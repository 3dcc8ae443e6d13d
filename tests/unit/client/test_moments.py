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
    with pytest.raises(ValueError, match="yesterday or a date"):
        milliseconds_of("tomorrow")
