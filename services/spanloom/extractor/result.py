"""The operator's options for building a batch of traces, and the batch's outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.pricing import LISTED, PriceBook
from spanloom.core.scoring.placing import list_waiting, named_responses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import Confirmation
    from spanloom.core.ports.feed import Announcement
    from spanloom.core.ports.spans import Arrived, Read, Unplaced


MAX_TRACE_SPANS = 1_000_000


class BuildOptions(NamedTuple):
    """Options of building traces."""

    max_trace_spans: int = MAX_TRACE_SPANS
    """Maximum number of spans read per trace; the rest of a larger trace is not shown."""
    prices: PriceBook = LISTED
    """Prices of model calls."""


BY_DEFAULT = BuildOptions()


@dataclass(slots=True)
class Scoring:
    """Scores found in a batch, before they are compared with the stored scores."""

    scores: dict[TraceKey, Sequence[Score]] = field(default_factory=dict)
    """The scores of traces with evaluation results."""
    responses: dict[TraceKey, Mapping[str, str]] = field(default_factory=dict)
    """For traces with response ids: the step of each response id."""
    named: dict[TraceKey, Sequence[str]] = field(default_factory=dict)
    """The response ids named by results without a span, by the trace under which they wait."""

    def set_scores(self, key: TraceKey, scores: Sequence[Score]) -> None:
        """Set the scores of a trace; a trace that never had scores needs no entry."""
        if scores:
            self.scores[key] = scores
        else:
            self.scores.pop(key, None)

    def set_responses(self, key: TraceKey, responses: Mapping[str, str]) -> None:
        """Set the response ids of a trace."""
        if responses:
            self.responses[key] = responses
        else:
            self.responses.pop(key, None)

    def set_waiting(self, key: TraceKey, unplaced: Sequence[Unplaced]) -> None:
        """Set the scores and named responses of a trace that has no span yet."""
        if unplaced:
            self.set_scores(key, list_waiting(key, unplaced))
            if named := named_responses(unplaced):
                self.named[key] = named

    def show_elsewhere(self, key: TraceKey) -> None:
        """Leave the scores of a trace to the run that shows its spans."""
        if key in self.scores:
            self.scores[key] = ()
        self.responses.pop(key, None)

    def forget(self, key: TraceKey) -> None:
        """Remove a trace, as if it had not been read."""
        for held in (self.scores, self.responses, self.named):
            held.pop(key, None)

    def add(self, other: Scoring) -> None:
        """Add the scores found in other traces."""
        self.scores |= other.scores
        self.responses |= other.responses
        self.named |= other.named


@dataclass(slots=True)
class BatchResult:
    """The outcome of a batch."""

    seqs: dict[TraceKey, int] = field(default_factory=dict)
    """The newest sequence that each build has read; 0 if the trace has no spans."""
    arrived: dict[TraceKey, Arrived] = field(default_factory=dict)
    """The arrivals of each trace before it was read."""
    reads: dict[TraceKey, Read] = field(default_factory=dict)
    """How much of each trace its build read."""
    whole: set[TraceKey] = field(default_factory=set)
    """Traces whose builds read all arrived spans."""
    unlisted: dict[TraceKey, Mapping[int, int]] = field(default_factory=dict)
    """Spans read from sequences that no known request has (``TracePart.unlisted``)."""
    statuses: dict[TraceKey, Status] = field(default_factory=dict)
    """The actual status of each built trace; discovery may have missed a root or a recovery."""
    written: set[TraceKey] = field(default_factory=set)
    """Traces whose trajectory is new or changed."""
    lost: set[TraceKey] = field(default_factory=set)
    """Traces to build again, because another build was stored in the meantime or had read more."""
    kept: set[TraceKey] = field(default_factory=set)
    """Traces with expired spans; the stored document, which has them, stays."""
    stored: dict[TraceKey, Announcement] = field(default_factory=dict)
    """The announcement of each trace whose stored trajectory stays."""
    confirmed: list[Confirmation] = field(default_factory=list)
    """Builds that read all arrived spans, more than the stored ones, with the same content."""
    failures: dict[TraceKey, Exception] = field(default_factory=dict)
    repeated_elsewhere: list[TraceKey] = field(default_factory=list)
    """Stored traces to build again.

    They repeat a call of this batch, or are parts of the same run.
    """
    sizes: Mapping[TraceKey, int] = field(default_factory=dict)
    """The number of spans of their whole runs, for runs of more than one trace."""
    span_count: int = 0
    services: set[tuple[str, str]] = field(default_factory=set)
    """The (project, service) pairs of the spans read."""
    scoring: Scoring = field(default_factory=Scoring)
    """The scores of evaluation results among the spans."""

    def add(self, other: BatchResult) -> None:
        """Add the outcome of other traces."""
        self.seqs |= other.seqs
        self.arrived |= other.arrived
        self.reads |= other.reads
        self.whole |= other.whole
        self.unlisted |= other.unlisted
        self.statuses |= other.statuses
        self.written |= other.written
        self.lost |= other.lost
        self.kept |= other.kept
        self.stored |= other.stored
        self.confirmed += other.confirmed
        self.failures |= other.failures
        self.repeated_elsewhere += other.repeated_elsewhere
        self.sizes = {**self.sizes, **other.sizes}
        self.span_count += other.span_count
        self.services |= other.services
        self.scoring.add(other.scoring)
