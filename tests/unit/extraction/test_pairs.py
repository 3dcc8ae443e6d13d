"""Recorded runs that two or three instrumentations of LangChain report: each run once."""

from __future__ import annotations

from tests.support.each_capture import each_capture
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Capture, measure, pair_captures
from tests.support.pairs import PAIR_MEASURES, wrong_measures

CAPTURES = pair_captures()


def test_every_pair_is_there_in_every_scenario_and_form() -> None:
    every = [c for c in CAPTURES if not c.dialect.startswith("mixed-")]
    scenarios = {c.scenario for c in every}
    pairs = {c.dialect for c in every if c.dialect.startswith("pair-")}
    assert (len(scenarios), len(pairs)) == (5 * 2, 7 * 6 / 2)
    assert len(every) == len(scenarios) * len({c.dialect for c in every})


@each_capture(CAPTURES)
def test_run_counts_once(capture: Capture) -> None:
    measured = measure(capture, extract_capture(capture), PAIR_MEASURES)
    assert wrong_measures(measured) == set(), measured
