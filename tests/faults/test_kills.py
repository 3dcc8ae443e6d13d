"""F1, F2: kill -9 under load, again and again: every acknowledged span is there, exactly once.

Somebody follows the change feed meanwhile, and knows the newest version of every trajectory in
the end. The long form, 500 kills and 20 at each point, is ``pytest -m slow tests/faults``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.kills import survive_deaths, survive_kills

if TYPE_CHECKING:
    from tests.conftest import StartSpanloom


@pytest.mark.nightly
def test_acknowledged_spans_survive_4_kills_exactly_once(
    start_spanloom: StartSpanloom, capsys: pytest.CaptureFixture[str]
) -> None:
    survive_kills(start_spanloom, capsys, rounds=4)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_acknowledged_spans_survive_500_kills_exactly_once(
    start_spanloom: StartSpanloom, capsys: pytest.CaptureFixture[str]
) -> None:
    survive_kills(start_spanloom, capsys, rounds=500)


def test_acknowledged_spans_survive_a_kill_at_each_point(
    start_spanloom: StartSpanloom, capsys: pytest.CaptureFixture[str]
) -> None:
    survive_deaths(start_spanloom, capsys, rounds=1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_acknowledged_spans_survive_20_kills_at_each_point(
    start_spanloom: StartSpanloom, capsys: pytest.CaptureFixture[str]
) -> None:
    survive_deaths(start_spanloom, capsys, rounds=20)
