"""Runs that several instrumentations report, sent to the started service, are counted once.

``tests/unit/extraction/test_pairs.py`` measures all of them without a service.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.ground_truth import pair_captures
from tests.support.pairs import PAIR_MEASURES, wrong_measures
from tests.support.sent_captures import DEADLINE_S, MANY, measure_settled, send_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import StartSpanloom
    from tests.support.ground_truth import Capture

EVERY = 3
"""The normal suite takes one run in three. Each pair has ten scenarios, so each pair is tested."""


@pytest.mark.nightly
def test_pairs_are_right(start_spanloom: StartSpanloom) -> None:
    check(start_spanloom, pair_captures()[::EVERY])


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_pairs_are_right(start_spanloom: StartSpanloom) -> None:
    check(start_spanloom, pair_captures())


def check(start_spanloom: StartSpanloom, captures: Sequence[Capture]) -> None:
    """Send the runs to a service; assert that each is counted once."""
    spanloom = start_spanloom(env=MANY)
    spanloom.wait_until_ready()
    send_all(spanloom, captures)
    deadline = time.monotonic() + DEADLINE_S
    with httpx.Client(base_url=spanloom.api) as api:
        found = {
            c.id: wrong_measures(measure_settled(api, c, deadline, PAIR_MEASURES)) for c in captures
        }
    assert {capture_id: wrong for capture_id, wrong in found.items() if wrong} == {}
