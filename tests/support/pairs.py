"""Measures of runs that several instrumentations report at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.ground_truth import DATA_TOOLS, MEASURES, Answer, Capture, Measures

if TYPE_CHECKING:
    from collections.abc import Mapping


def _check_retrievals(capture: Capture, answers: list[Answer]) -> list[str]:
    """Check that each retrieval occurs once; the measure of tools does not check them."""
    steps = [s for a in answers for _, s in a.steps()]
    got = sum(s["metadata"].get("tool_kind") in DATA_TOOLS for s in steps)
    want = capture.truth["retrievals"]
    return [] if got == want else [f"{got} retrievals, in truth {want}"]


PAIR_MEASURES: Measures = {**MEASURES, "retrievals": _check_retrievals}


def wrong_measures(measured: Mapping[str, list[str]]) -> set[str]:
    return {name for name, what in measured.items() if what}
