"""F1, F2: after repeated kill -9 under load every acknowledged span is stored exactly once.

In the end a follower of the change feed has the newest version of every trajectory. The slow tests,
500 kills and 20 at each point, run with ``pytest -m slow tests/faults``.
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
