"""Recorded runs that two or three instrumentations of LangChain report: each run once."""

from __future__ import annotations

import pytest
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Capture, measure, pair_captures
from tests.support.pairs import PAIR_MEASURES, WRONG, wrong_measures

CAPTURES = pair_captures()


def test_every_pair_is_there_in_every_scenario_and_form() -> None:
    scenarios = {c.scenario for c in CAPTURES}
    pairs = {c.dialect for c in CAPTURES if c.dialect.startswith("pair-")}
    assert (len(scenarios), len(pairs)) == (5 * 2, 7 * 6 / 2)
    assert len(CAPTURES) == len(scenarios) * len({c.dialect for c in CAPTURES})
    assert {c.id for c in CAPTURES} >= WRONG.keys()


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda c: c.id)
def test_run_counts_once(capture: Capture) -> None:
    measured = measure(capture, extract_capture(capture), PAIR_MEASURES)
    assert wrong_measures(measured) == WRONG.get(capture.id, set()), measured
