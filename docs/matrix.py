"""Extracts every captured run and compares it with its ground truth, for tables of the docs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import MEASURES, Capture, all_captures, measure, pair_captures
from tests.support.pairs import PAIR_MEASURES, wrong_measures
from tests.support.unreported import UNREPORTED, is_unreported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Row = tuple[str, ...]
OTHERS = "mixed-"
FORMS = ("shared", "own")
"""One tracer provider under a span of the application, or a provider per instrumentation."""


def matrix() -> Iterator[Row]:
    """Yield a row per folder of captures, and a total: the number of right runs, by measure."""
    wrong = {capture: measure(capture, extract_capture(capture)) for capture in all_captures()}
    folders = sorted({capture.dialect for capture in wrong})
    for folder in folders:
        yield _row(f"`{folder}`", {c: w for c, w in wrong.items() if c.dialect == folder})
    yield _row("all", wrong)


def shortfalls() -> Iterator[Row]:
    """Yield the facts that telemetry does not report, so that no extractor can know them."""
    for name, unreported in UNREPORTED.items():
        for runs in sorted(unreported):
            yield f"`{runs}`", name, "not reported by any span (`tests/support/unreported.py`)"
    for capture in (*all_captures(), *pair_captures()):
        for shortfall in capture.truth["telemetry_shortfall"]:
            yield f"`{capture.id}`", "steps", str(shortfall).replace("|", "/")


def pair_scenarios() -> list[str]:
    """Return the scenarios of each pair."""
    return sorted({capture.scenario.rpartition("_")[0] for capture in _of_every_pair()})


def pairs() -> Iterator[Row]:
    """Yield a row per pair: by scenario, whether both forms are right, or the wrong measures."""
    wrong = {(c.dialect, c.scenario): _wrong(c) for c in _of_every_pair()}
    for folder in sorted({folder for folder, _ in wrong}):
        cells = (_both_forms(folder, scenario, wrong) for scenario in pair_scenarios())
        yield f"`{folder}`", *cells
    right = sum(not what for what in wrong.values())
    yield "right, of all", *["" for _ in pair_scenarios()[1:]], f"{right} of {len(wrong)}"


def others() -> Iterator[Row]:
    """Yield a row per run outside the common scenarios."""
    for capture in pair_captures():
        if capture.dialect.startswith(OTHERS):
            yield f"`{capture.dialect}`", capture.scenario, ", ".join(_wrong(capture)) or "right"


def _of_every_pair() -> list[Capture]:
    return [c for c in pair_captures() if not c.dialect.startswith(OTHERS)]


def _wrong(capture: Capture) -> list[str]:
    return sorted(wrong_measures(measure(capture, extract_capture(capture), PAIR_MEASURES)))


def _both_forms(folder: str, scenario: str, wrong: Mapping[tuple[str, str], list[str]]) -> str:
    found = {form: wrong[folder, f"{scenario}_{form}"] for form in FORMS}
    return "; ".join(f"{f}: {', '.join(what)}" for f, what in found.items() if what) or "right"


def _row(name: str, wrong: Mapping[Capture, Mapping[str, list[str]]]) -> Row:
    return name, str(len(wrong)), *(_cell(measure, wrong) for measure in MEASURES)


def _cell(measure: str, wrong: Mapping[Capture, Mapping[str, list[str]]]) -> str:
    """Return the number of right runs, with the total if the measure does not apply to all."""
    about = [w for c, w in wrong.items() if not is_unreported(measure, c)]
    right = sum(not w[measure] for w in about)
    if not about:
        return "-"
    return str(right) if len(about) == len(wrong) else f"{right} of {len(about)}"
