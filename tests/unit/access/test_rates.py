"""Rate limits of projects, with a clock that the test sets."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.access.limits import BURST_S, LimitsByProject, ProjectLimits, Rates, read_limits
from spanloom.core.errors import RateLimitedError, StartupError

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def is_refused(rates: Rates, project: str) -> float:
    """Return the retry hint of a refusal in seconds, 0 if the project is not refused."""
    try:
        rates.check(project)
    except RateLimitedError as error:
        return error.retry_after_s
    return 0


def test_without_limits_nobody_is_too_fast() -> None:
    rates = Rates()
    for _ in range(100):
        rates.check("p")
        rates.charge("p", spans=10**9, size=10**12)


def test_a_project_over_its_rate_waits_and_no_other_does() -> None:
    clock = Clock()
    rates = Rates(lambda _: ProjectLimits(spans_per_s=100), clock)
    rates.charge("loud", spans=500)  # the bucket held 200 of them, which is 2 s worth
    assert is_refused(rates, "loud") == pytest.approx(3)
    assert not is_refused(rates, "quiet")
    clock.now_s += 2.9
    assert is_refused(rates, "loud")
    clock.now_s += 0.2
    assert not is_refused(rates, "loud")


def test_bytes_are_limited_apart_from_spans() -> None:
    rates = Rates(lambda _: ProjectLimits(bytes_per_s=10), Clock())
    rates.charge("p", spans=10**6, size=19)
    assert not is_refused(rates, "p")
    rates.charge("p", size=1)
    assert is_refused(rates, "p")


def test_a_project_may_have_limits_of_its_own() -> None:
    own = {"big": ProjectLimits(1000), "free": ProjectLimits()}
    rates = Rates(lambda project: own.get(project, ProjectLimits(10)), Clock())
    for project in ("big", "free", "small"):
        rates.charge(project, spans=100)
    assert [bool(is_refused(rates, p)) for p in ("big", "free", "small")] == [False, False, True]


def test_changed_limits_count_at_once() -> None:
    limits = {"p": ProjectLimits(spans_per_s=10)}
    rates = Rates(limits.__getitem__, Clock())
    rates.charge("p", spans=1000)
    assert is_refused(rates, "p")
    limits["p"] = ProjectLimits(spans_per_s=100)
    assert not is_refused(rates, "p")


@given(st.lists(st.tuples(st.floats(0, 5), st.integers(0, 400)), max_size=40))
def test_over_any_time_nobody_gets_more_than_the_rate(sent: list[tuple[float, int]]) -> None:
    """Only the burst and the one request that goes into debt may exceed the rate."""
    clock, rate, accepted, largest = Clock(), 50.0, 0, 0
    rates = Rates(lambda _: ProjectLimits(spans_per_s=rate), clock)
    for pause, spans in sent:
        clock.now_s += pause
        if not is_refused(rates, "p"):
            rates.charge("p", spans=spans)
            accepted += spans
            largest = max(largest, spans)
    assert accepted <= rate * (clock.now_s - 100 + BURST_S) + largest + 1e-6


def test_the_file_gives_limits_by_project(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(
        '[projects."a b"]\nspans_per_s = 5\n'
        '[projects.c]\nbytes_per_s = "2MiB"\nstored_bytes = "4KiB"\n'
    )
    assert read_limits(file) == {
        "a b": ProjectLimits(5, 0),
        "c": ProjectLimits(0, 2 * 1024**2, 4096),
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("projects = 1", "projects"),
        ("[projects.a]\nspans = 5", "projects.a.spans"),
        ("[projects.a]\nspans_per_s = -1", "spans_per_s"),
        ("[projects.a", "cannot be read"),
    ],
)
def test_a_bad_file_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(text)
    with pytest.raises(StartupError, match=told) as refused:
        read_limits(file)
    assert "\n" not in str(refused.value)


def test_a_changed_file_is_followed_and_a_slip_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text("[projects.a]\nspans_per_s = 5\n")
    limits = LimitsByProject(ProjectLimits(1), file, poll_s=0.01)
    limits.start()
    for text, expected in (
        ("[projects.a]\nspans_per_s = 6\nstored_bytes = 7\n", ProjectLimits(6, 0, 7)),
        ("[projects.a]\nspans = 6\n", ProjectLimits(6, 0, 7)),
        ("[projects.b]\n", ProjectLimits(1)),
    ):
        written = file.with_suffix(".new")
        written.write_text(text)
        written.replace(file)  # atomic, as the file is read all the time
        time.sleep(0.05)
        until = time.monotonic() + 10
        while limits.of("a") != expected and time.monotonic() < until:
            time.sleep(0.01)
        assert limits.of("a") == expected
    limits.stop(5)
    assert limits.failed is None
