"""The operator's options for building a batch of traces, and the outcome of the batch."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import iadd, ior
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.pricing import LISTED, PriceBook
from spanloom.core.scoring.placing import list_waiting, named_responses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.feed import Announcement
    from spanloom.core.ports.spans import Arrived, Read, Unplaced
    from spanloom.core.ports.trajectories import Confirmation


MAX_TRACE_SPANS = 1_000_000


class BuildOptions(NamedTuple):
    """Options for building traces."""

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
    """The step id for each response id, for traces whose model calls have response ids."""
    named: dict[TraceKey, Sequence[str]] = field(default_factory=dict)
    """Response ids in evaluation results without a span id, keyed by the trace that stores them."""

    def set_scores(self, key: TraceKey, scores: Sequence[Score]) -> None:
        """Set the scores of a trace; an empty sequence removes its entry."""
        if scores:
            self.scores[key] = scores
        else:
            self.scores.pop(key, None)

    def set_responses(self, key: TraceKey, responses: Mapping[str, str]) -> None:
        """Set the step for each response id of a trace; an empty mapping removes its entry."""
        if responses:
            self.responses[key] = responses
        else:
            self.responses.pop(key, None)

    def set_waiting(self, key: TraceKey, unplaced: Sequence[Unplaced]) -> None:
        """Set scores and named response ids of a trace that has evaluation results but no spans."""
        if unplaced:
            self.set_scores(key, list_waiting(key, unplaced))
            if named := named_responses(unplaced):
                self.named[key] = named

    def show_elsewhere(self, key: TraceKey) -> None:
        """Remove the scores of a trace, because the home trace of its run has them."""
        if key in self.scores:
            self.scores[key] = ()
        self.responses.pop(key, None)

    def forget(self, key: TraceKey) -> None:
        """Remove all entries of a trace, as if it had not been read."""
        for held in (self.scores, self.responses, self.named):
            held.pop(key, None)

    def __ior__(self, other: Scoring) -> Self:
        """Add the scores found in other traces."""
        self.scores |= other.scores
        self.responses |= other.responses
        self.named |= other.named
        return self


@dataclass(slots=True)
class BatchResult:
    """The outcome of a batch."""

    seqs: dict[TraceKey, int] = field(default_factory=dict)
    """The newest sequence that each build has read; 0 if the trace has no spans."""
    arrived: dict[TraceKey, Arrived] = field(default_factory=dict)
    """The arrivals of each trace before it was read."""
    reads: dict[TraceKey, Read] = field(default_factory=dict)
    """The part of each trace that its build read."""
    whole: set[TraceKey] = field(default_factory=set)
    """Traces whose builds read all arrived spans."""
    unlisted: dict[TraceKey, Mapping[int, int]] = field(default_factory=dict)
    """Spans and events read per sequence, for sequences of no known request (``TracePart``)."""
    statuses: dict[TraceKey, Status] = field(default_factory=dict)
    """The status of each build; may differ from the requested status, e.g. if it found a root."""
    written: set[TraceKey] = field(default_factory=set)
    """Traces whose trajectory is new or changed."""
    lost: set[TraceKey] = field(default_factory=set)
    """Traces to build again, because another build was stored first or had read more spans."""
    kept: set[TraceKey] = field(default_factory=set)
    """Traces with expired spans; their stored documents, which contain these spans, stay."""
    stored: dict[TraceKey, Announcement] = field(default_factory=dict)
    """The announcement for each trace whose stored trajectory stays."""
    confirmed: list[Confirmation] = field(default_factory=list)
    """A confirmation for each complete build that read more spans than the equal stored build."""
    failures: dict[TraceKey, Exception] = field(default_factory=dict)
    repeated_elsewhere: list[TraceKey] = field(default_factory=list)
    """Stored traces to build again.

    They report a call of this batch too, or belong to the same run as a trace of this batch.
    """
    sizes: dict[TraceKey, int] = field(default_factory=dict)
    """For traces of runs with more than one trace: the number of spans in the whole run."""
    span_count: int = 0
    services: set[tuple[str, str]] = field(default_factory=set)
    """The (project, service) pairs of the spans read."""
    scoring: Scoring = field(default_factory=Scoring)
    """The scores made from evaluation results in the telemetry."""

    def add(self, other: BatchResult) -> None:
        """Add the outcome of other traces: lists and numbers by ``+=``, other fields by ``|=``."""
        for name in (one.name for one in fields(self)):
            mine = getattr(self, name)
            join: Callable[[Any, Any], Any] = iadd if isinstance(mine, (list, int)) else ior
            setattr(self, name, join(mine, getattr(other, name)))
