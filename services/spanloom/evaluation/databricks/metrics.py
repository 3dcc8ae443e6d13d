"""The metrics that are computed without a model: recall of documents, tokens, latency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from spanloom.core.exchange.databricks import last_retrieval
from spanloom.core.exchange.mlflow.documents import documents_in, uri_of
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.evaluation.subject.subject import Subject


class MissingDataError(Exception):
    """The run or the item lacks data that the metric needs; the message names the data."""


class Measured(NamedTuple):
    """The value of a metric."""

    value: float
    rationale: str
    evidence: Sequence[Evidence] = ()


class Metric(NamedTuple):
    """A metric that is computed without a model."""

    measure: Callable[[Subject], Measured]
    """Returns the value; raises ``MissingDataError``."""
    reads: AbstractSet[Part]
    later_name: str = ""
    """The name of the metric in MLflow 2, if different."""


def _recall(subject: Subject) -> Measured:
    """Return the share of distinct expected documents that the last retrieval found."""
    expected = {chunk.doc_uri for chunk in subject.expected.retrieved_context or ()}
    if not expected:
        raise MissingDataError("the item expects no retrieved_context")
    step = last_retrieval(subject.run.document)
    if step is None:
        raise MissingDataError("the run has no retrieval step")
    matched = {uri_of(document) for document in documents_in(step.output)} & expected
    missing = sorted(expected - matched)
    rationale = f"found {len(matched)} of {len(expected)} expected documents"
    if missing:
        rationale += f", not {', '.join(missing[:5])}"
    return Measured(
        len(matched) / len(expected), rationale, [Evidence(step_id=step.id, field="output")]
    )


def _tokens(*members: str) -> Callable[[Subject], Measured]:
    def measure(subject: Subject) -> Measured:
        document = subject.run.document
        metrics = document.root.metrics
        tokens = {"input_tokens": metrics.input_tokens, "output_tokens": metrics.output_tokens}
        if not any(tokens.values()) and (
            not metrics.json or any(step.type == "model" for step in document.steps)
        ):
            raise MissingDataError("the run does not tell its tokens")
        total = sum(tokens[name] for name in members)
        return Measured(total, f"{' + '.join(members)} of the root")

    return measure


def _latency(subject: Subject) -> Measured:
    root = subject.run.document.root
    if not root.started_at and not root.duration:
        raise MissingDataError("the run does not tell its times")
    return Measured(root.duration / 1_000, "the duration of the root")


_OF_TOKENS: Final = frozenset({Part.TOKENS, Part.TYPES})
METRICS: Final[Mapping[str, Metric]] = {
    "retrieval/ground_truth/document_recall": Metric(
        _recall, frozenset({Part.OUTPUTS, Part.METADATA, Part.TIMES, Part.IDS})
    ),
    "agent/total_token_count": Metric(_tokens("input_tokens", "output_tokens"), _OF_TOKENS),
    "agent/input_token_count": Metric(
        _tokens("input_tokens"), _OF_TOKENS, "agent/total_input_token_count"
    ),
    "agent/output_token_count": Metric(
        _tokens("output_tokens"), _OF_TOKENS, "agent/total_output_token_count"
    ),
    "agent/latency_seconds": Metric(_latency, frozenset({Part.TIMES})),
}
"""Metrics, keyed by Databricks' names, in the order of Databricks' documentation."""
