"""Every captured run against its ground truth, extracted here and now: tables for the docs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import MEASURES, Capture, all_captures, measure, pair_captures
from tests.support.pairs import PAIR_MEASURES, wrong_measures
from tests.support.untold import UNTOLD, is_untold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Row = tuple[str, ...]
FORMS = ("shared", "own")
"""One provider, under a span of the application; or each its own, with nothing around."""


def matrix() -> Iterator[Row]:
    """Yield a row per folder of captures, and one of all: how many runs are right, by measure."""
    wrong = {capture: measure(capture, extract_capture(capture)) for capture in all_captures()}
    folders = sorted({capture.dialect for capture in wrong})
    for folder in folders:
        yield _row(f"`{folder}`", {c: w for c, w in wrong.items() if c.dialect == folder})
    yield _row("all", wrong)


def shortfalls() -> Iterator[Row]:
    """Yield what telemetry does not report at all, so that nobody can get it right."""
    for name, untold in UNTOLD.items():
        for runs in sorted(untold):
            yield f"`{runs}`", name, "no span tells it (`tests/support/untold.py`)"
    for capture in (*all_captures(), *pair_captures()):
        for told in capture.truth["telemetry_shortfall"]:
            yield f"`{capture.id}`", "steps", str(told).replace("|", "/")


def pair_scenarios() -> list[str]:
    """Return what ran under each pair."""
    return sorted({capture.scenario.rpartition("_")[0] for capture in pair_captures()})


def pairs() -> Iterator[Row]:
    """Yield a row per pair: by scenario whether both forms are right, else what is wrong."""
    wrong = {
        (c.dialect, c.scenario): wrong_measures(measure(c, extract_capture(c), PAIR_MEASURES))
        for c in pair_captures()
    }
    for folder in sorted({folder for folder, _ in wrong}):
        cells = (_both_forms(folder, scenario, wrong) for scenario in pair_scenarios())
        yield f"`{folder}`", *cells
    right = sum(not what for what in wrong.values())
    yield "right, of all", *["" for _ in pair_scenarios()[1:]], f"{right} of {len(wrong)}"


def _both_forms(folder: str, scenario: str, wrong: Mapping[tuple[str, str], set[str]]) -> str:
    runs = {form: (folder, f"{scenario}_{form}") for form in FORMS}
    found = {form: wrong[run] for form, run in runs.items() if run in wrong}
    faults = [f"{form}: {', '.join(sorted(what))}" for form, what in found.items() if what]
    only = "" if len(found) == len(FORMS) else f" ({', '.join(found)})"
    return "; ".join(faults) or (f"right{only}" if found else "")


def _row(name: str, wrong: Mapping[Capture, Mapping[str, list[str]]]) -> Row:
    return name, str(len(wrong)), *(_cell(measure, wrong) for measure in MEASURES)


def _cell(measure: str, wrong: Mapping[Capture, Mapping[str, list[str]]]) -> str:
    """Return how many are right, of how many where a measure is about fewer runs than there are."""
    about = [w for c, w in wrong.items() if not is_untold(measure, c)]
    right = sum(not w[measure] for w in about)
    if not about:
        return "-"
    return str(right) if len(about) == len(wrong) else f"{right} of {len(about)}"
