"""Every run that several instrumentations report, sent to the started command, counts once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
from tests.support.ground_truth import pair_captures
from tests.support.pairs import PAIR_MEASURES, wrong_measures
from tests.support.sent_captures import DEADLINE_S, QUICK, measure_settled, send

if TYPE_CHECKING:
    from tests.conftest import StartSpanloom


def test_pairs_are_right(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom(env=QUICK)
    spanloom.wait_until_ready()
    captures = pair_captures()
    for capture in captures:
        send(spanloom, capture)
    deadline = time.monotonic() + DEADLINE_S
    with httpx.Client(base_url=spanloom.api) as api:
        found = {
            c.id: wrong_measures(measure_settled(api, c, deadline, PAIR_MEASURES)) for c in captures
        }
    assert {capture_id: wrong for capture_id, wrong in found.items() if wrong} == {}
