"""Every captured run against its ground truth, extracted here and now: a table for the docs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.ground_truth import (
    MEASURES,
    UNREPORTED_DETAILS,
    WITHOUT_DETAILS,
    Answer,
    Capture,
    all_captures,
    measure,
)
from tests.support.memory_store import MemoryStore

from spanloom.core.model.tenancy import Reach
from spanloom.core.ports.spans import SpooledRequest
from spanloom.extractor.readiness import NS, Timing
from spanloom.extractor.worker import Extractor
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Row = tuple[str, ...]
_LATER_NS = 10_000 * NS


def matrix() -> Iterator[Row]:
    """Yield a row per folder of captures, and one of all: how many runs are right, by measure."""
    wrong = {capture: measure(capture, _extract(capture)) for capture in all_captures()}
    folders = sorted({capture.dialect for capture in wrong})
    for folder in folders:
        yield _row(f"`{folder}`", {c: w for c, w in wrong.items() if c.dialect == folder})
    yield _row("all", wrong)


def shortfalls() -> Iterator[Row]:
    """Yield what telemetry does not report at all, so that nobody can get it right."""
    for folder in sorted(WITHOUT_DETAILS):
        yield f"`{folder}`", "details", "reasoning or cached tokens are not reported"
    for run in sorted(UNREPORTED_DETAILS):
        yield f"`{run}`", "details", "what the folder's other runs report is missing in this one"
    for capture in all_captures():
        for told in capture.truth["telemetry_shortfall"]:
            yield f"`{capture.id}`", "steps", str(told).replace("|", "/")


def _row(name: str, wrong: Mapping[Capture, Mapping[str, list[str]]]) -> Row:
    return name, str(len(wrong)), *(_cell(measure, wrong) for measure in MEASURES)


def _cell(measure: str, wrong: Mapping[Capture, Mapping[str, list[str]]]) -> str:
    """Return how many are right, of how many where a measure is about fewer runs than there are."""
    about = [w for c, w in wrong.items() if measure != "details" or _reports_details(c)]
    right = sum(not w[measure] for w in about)
    if not about:
        return "-"
    return str(right) if len(about) == len(wrong) else f"{right} of {len(about)}"


def _reports_details(capture: Capture) -> bool:
    return capture.dialect not in WITHOUT_DETAILS and capture.id not in UNREPORTED_DETAILS


def _extract(capture: Capture) -> list[Answer]:
    """Store the run and build its trajectories, with what other traces repeat."""
    store = MemoryStore()
    store.append(
        [SpooledRequest(n, "p", n, body, 1) for n, body in enumerate(capture.requests(), 1)]
    )
    timing = Timing(root_quiet_s=0, no_root_quiet_s=0)
    extractor = Extractor(store, Metrics(), timing, clock=lambda: _LATER_NS)
    while extractor.run_once():
        pass
    keys = (change.key for change in store.unextracted())
    return [
        Answer(
            json.loads(store.document(key.trace_id, Reach.only(key.project)) or b"{}"),
            json.loads(store.spans_document(key.trace_id, Reach.only(key.project)) or b"[]"),
        )
        for key in keys
    ]
