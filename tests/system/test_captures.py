"""Every captured run, sent to the started service request by request, equals its ground truth."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.each_capture import each_capture
from tests.support.ground_truth import MEASURES, Capture, all_captures, print_matrix
from tests.support.sent_captures import DEADLINE_S, MANY, measure_settled, send_all

if TYPE_CHECKING:
    from tests.conftest import StartSpanloom, Tell

Results = dict[Capture, dict[str, list[str]]]
CAPTURES = all_captures()


@pytest.fixture(scope="module")
def results(start_shared_spanloom: StartSpanloom) -> Results:
    """Send all captures, wait until they are extracted, and measure them."""
    spanloom = start_shared_spanloom(env=MANY)
    spanloom.wait_until_ready()
    send_all(spanloom, CAPTURES)
    deadline = time.monotonic() + DEADLINE_S
    with httpx.Client(base_url=spanloom.api) as api:
        return {c: measure_settled(api, c, deadline) for c in CAPTURES}


@each_capture(CAPTURES)
def test_capture_is_right_in_every_measure(capture: Capture, results: Results) -> None:
    wrong = {name: what for name, what in results[capture].items() if what}
    assert not wrong


def test_matrix(results: Results, tell: Tell) -> None:
    tell("scenarios that are right, dialect by measure\n" + print_matrix(results))
    assert all(set(measured) == set(MEASURES) for measured in results.values())
