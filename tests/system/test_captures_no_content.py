"""Captured runs without their content: all measures stay right, and none of its text is stored."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

import pytest
from tests.support.each_capture import each_capture
from tests.support.extracting import World
from tests.support.ground_truth import (
    LANGFUSE,
    STRUCTURE,
    Answer,
    Capture,
    all_captures,
    measure,
    print_matrix,
)

from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.redaction.redactor import Redactor
from spanloom.collector.spool.spool import Spool
from spanloom.core.model.access import Reach
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.conftest import Tell

CAPTURES = all_captures()
LIMITS = Limits()
SHORTEST_TEXT = 12
TOLD_BY_CONTENT_ALONE = {
    # An agent that failed at its first model call is recognised only by its input.
    "other-vercel-ai-7/llm_error_500": {"agent"},
    # Questions to people and their answers are content, and so is the text of a refusal.
    **{c.id: {"outcome"} for c in CAPTURES if c.scenario.startswith(("approval_", "long_running"))},
    "other-google-adk/approval_rejected": {"outcome", "errors"},
    "other-google-adk-openinference/approval_rejected": {"outcome", "errors"},
    # Senders without error types show a cancellation only in the text of an error.
    **{
        c.id: {"outcome"}
        for c in CAPTURES
        if c.dialect == "langsmith" and "cancelled" in c.scenario
    },
    "langfuse/cancelled_tool": {"outcome"},
    **{f"js-openinference/cancelled_{what}": {"outcome", "errors"} for what in ("model", "tool")},
    "otel-genai/cancelled_stream": {"outcome"},
}
"""Runs whose structure only their content shows, and the measures that are wrong without it."""


class Receiver:
    """The intake, whose spool and memory of Langfuse's events are files in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        metrics = Metrics()
        redactor = Redactor([], b"k" * 32, metrics, no_content=True)
        self.spool = Spool(folder / "spool.sqlite", 1 << 30, metrics)
        self.exporter = Exporter(self.spool, metrics, LIMITS, redactor=redactor)
        self._observations = Observations(folder / "observations.sqlite", metrics)
        self._langfuse = LangfuseIngestion(self.exporter, self._observations, LIMITS)

    def take(self, capture: Capture) -> None:
        """Ingest a captured run."""
        for path, _, body in capture.posts():
            if path == LANGFUSE:
                assert not self._langfuse.ingest(body, "").refused
        if path != LANGFUSE:
            for request in capture.requests():
                self.exporter.export_traces(request, "")

    def waiting(self) -> list[bytes]:
        """Return the bodies of the requests that wait in the spool."""
        return [waiting.body for waiting in self.spool.read_batch(1 << 30)]

    def close(self) -> list[str]:
        """Close the stores; return the contents of all their files as text."""
        self._observations.close()
        self.spool.close()
        return [f.read_bytes().decode("latin-1") for f in self.folder.iterdir()]


def texts_of(capture: Capture) -> set[str]:
    """Return those answers of models in a run that are long enough to be recognised."""
    said = {str(call.get("text") or "") for call in capture.truth.get("model_calls", ())}
    return {text for text in said if len(text) >= SHORTEST_TEXT}


def answers_of(world: World, capture: Capture) -> Iterator[Answer]:
    for trace in capture.spans_by_trace:
        if document := world.document(trace):
            spans = json.loads(world.store.documents.spans(trace, Reach.ALL) or b"[]")
            yield Answer(document, spans)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[Capture, dict[str, list[str]]]:
    """Send every run; return its differences from the truth, and its texts that were stored."""
    folder = tmp_path_factory.mktemp("no-content")
    dialects = groupby(CAPTURES, lambda capture: capture.dialect)
    return {
        capture: found
        for dialect, captures in dialects
        for capture, found in measured(folder / dialect, list(captures)).items()
    }


def measured(folder: Path, captures: Sequence[Capture]) -> dict[Capture, dict[str, list[str]]]:
    """Send the runs of a dialect to one receiver and build them together; return their results."""
    receiver, world = Receiver(folder), World()
    for capture in captures:
        receiver.take(capture)
    for body in receiver.waiting():
        world.send_message(body)
    world.run(80, every=10)
    answers = {capture: list(answers_of(world, capture)) for capture in captures}
    documents = [json.dumps(a.document) for found in answers.values() for a in found]
    written = "\n".join([*receiver.close(), *documents])
    return {
        capture: {**measure(capture, found, STRUCTURE), "leaks": leaks(capture, written)}
        for capture, found in answers.items()
    }


def leaks(capture: Capture, written: str) -> list[str]:
    """Return the texts of a run that occur in ``written``."""
    return [text for text in texts_of(capture) if any(form in written for form in _forms(text))]


def _forms(text: str) -> set[str]:
    """Return the forms of a text in files: plain, in JSON, and in JSON with non-ASCII escaped."""
    plain = text.encode().decode("latin-1")
    return {plain, text, json.dumps(text)[1:-1], json.dumps(plain, ensure_ascii=False)[1:-1]}


@pytest.mark.nightly
@each_capture(CAPTURES)
def test_measures_stay_right_and_no_text_is_written(
    capture: Capture, results: dict[Capture, dict[str, list[str]]]
) -> None:
    wrong = {name: what for name, what in results[capture].items() if what}
    assert set(wrong) == TOLD_BY_CONTENT_ALONE.get(capture.id, set()), wrong


def test_matrix(results: dict[Capture, dict[str, list[str]]], tell: Tell) -> None:
    tell("scenarios that are right without content\n" + print_matrix(results, STRUCTURE))
    assert all(set(STRUCTURE) < set(measured) for measured in results.values())
    assert sum(bool(texts_of(capture)) for capture in CAPTURES) > len(CAPTURES) / 2
