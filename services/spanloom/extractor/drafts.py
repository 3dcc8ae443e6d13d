"""The first of the two halves of building traces, as pure functions: spans to drafts.

A draft is an extracted trajectory. Then the store is queried for duplicates and stored versions of
the drafts, and the second half makes records of them (``next_versions.py``). Both halves may run in
this process or in a worker, with the same results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_logs import count_records
from spanloom.core.duplicates.traces import list_calls
from spanloom.core.extract import extract, extract_failure
from spanloom.core.joining.parts import find_part
from spanloom.core.model.trajectory import Status
from spanloom.core.scoring.placing import list_responses, list_scores
from spanloom.extractor.result import BatchResult
from spanloom.extractor.span_cap import describe_rest
from spanloom.extractor.time_limit import UNLIMITED, BatchLimit, TooSlowError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.joining.parts import Part
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.calls import Call
    from spanloom.core.ports.spans import TracePart, Unplaced
    from spanloom.core.pricing import PriceBook


@dataclass(frozen=True, slots=True)
class Drafts:
    """Extracted trajectories, before duplicates and stored versions are known."""

    limit: BatchLimit = UNLIMITED
    """The CPU time limits of the traces, in each step of their builds."""
    trajectories: dict[TraceKey, Trajectory] = field(default_factory=dict)
    calls: dict[TraceKey, Sequence[Call]] = field(default_factory=dict)
    records: dict[TraceKey, int] = field(default_factory=dict)
    """Number of coding agents' log records among the span events of a trace; no entry for 0."""
    parts: dict[TraceKey, Part] = field(default_factory=dict)
    """Data for joining traces into runs, for each trace that may be one of several of a run."""
    has_gone: dict[TraceKey, bool] = field(default_factory=dict)
    """For stored traces of joined runs: whether spans of any trace of the run were removed."""
    result: BatchResult = field(default_factory=BatchResult)
    """The outcome so far for the traces in the batch."""

    def add(
        self,
        key: TraceKey,
        trajectory: Trajectory,
        spans: Sequence[Span],
        unplaced: Sequence[Unplaced] = (),
    ) -> None:
        """Add the trajectory of a trace, which was extracted from ``spans``."""
        self.replace(key, trajectory)
        if self.result.statuses.get(key) is not Status.FAILED:  # a failed trajectory has no steps
            self.score(key, trajectory, spans, unplaced)
        self.result.services.update((key.project, name) for name in trajectory.services)
        if number := count_records(spans):
            self.records[key] = number
        if (part := find_part(key, trajectory, spans)) is not None:
            self.parts[key] = part

    def replace(self, key: TraceKey, trajectory: Trajectory) -> None:
        """Replace the drafted trajectory of a trace."""
        self.trajectories[key], self.calls[key] = trajectory, list_calls(trajectory)

    def score(
        self,
        key: TraceKey,
        trajectory: Trajectory,
        spans: Sequence[Span],
        unplaced: Sequence[Unplaced],
    ) -> None:
        """Set the scores of a trace from the evaluation results in ``spans`` and ``unplaced``."""
        scoring = self.result.scoring
        responses = list_responses(trajectory, spans)
        scoring.set_responses(key, responses)
        scoring.set_scores(key, list_scores(key, trajectory, spans, unplaced, responses))

    def take(self, key: TraceKey, run: Drafts) -> None:
        """Replace the draft of a trace, and its scores, by those of a run of several traces."""
        self.trajectories[key], self.calls[key] = run.trajectories[key], run.calls[key]
        ours, theirs = self.result.scoring, run.result.scoring
        ours.set_responses(key, theirs.responses.get(key, {}))
        ours.set_scores(key, theirs.scores.get(key, ()))

    def warn(self, key: TraceKey, text: str) -> None:
        """Add a warning to a drafted trajectory."""
        if (known := self.trajectories.get(key)) is not None:
            self.trajectories[key] = replace(known, warnings=[*known.warnings, text])

    def fail(self, key: TraceKey, error: Exception) -> None:
        """Record that a trace could not be built."""
        if isinstance(error, TooSlowError):
            error.free_memory()
        self.result.failures[key] = error
        for held in (self.trajectories, self.calls, self.parts):
            held.pop(key, None)

    def give_up(self, key: TraceKey, error: Exception) -> None:
        """Record that a trace could not be built, as if it could not be read either."""
        self.forget(key)
        self.fail(key, error)

    def without_parts(self) -> AbstractSet[TraceKey]:
        """Remove traces that may belong to joined runs, as if not requested; return their keys."""
        keys = frozenset(self.parts)
        for key in keys:
            self.forget(key)
        return keys

    def forget(self, key: TraceKey) -> None:
        """Remove everything about a trace, as if it had not been read."""
        result = self.result
        for held in (self.trajectories, self.calls, self.records, self.parts):
            held.pop(key, None)
        for noted in (result.seqs, result.statuses, result.reads, result.unlisted):
            noted.pop(key, None)
        result.scoring.forget(key)
        result.whole.discard(key)


def make_drafts(
    requested: Mapping[TraceKey, Status],
    parts: dict[TraceKey, TracePart],
    prices: PriceBook,
    limit: BatchLimit = UNLIMITED,
) -> Drafts:
    """Extract each trace separately; a trace that raises an error or takes too long fails alone.

    Empties ``parts`` to free memory, because the spans of a long trace take as much memory as all
    later steps of its build.
    """
    drafts = Drafts(limit)
    result = drafts.result
    for key, status in requested.items():
        part = parts.pop(key, None)
        result.seqs[key] = part.newest_seq if part else 0
        if part is None:
            continue
        _note_read(key, part, result)
        if not part.spans:
            result.scoring.set_waiting(key, part.unplaced)
            continue
        result.span_count += len(part.spans)
        work = partial(_add_draft, key, part, status, drafts, prices)
        try:
            drafts.limit.run(len(part.spans), work)
        except TooSlowError as error:
            drafts.give_up(key, error)
    return drafts


def _note_read(key: TraceKey, part: TracePart, result: BatchResult) -> None:
    result.reads[key] = part.read
    if part.is_whole:
        result.whole.add(key)
    if part.unlisted:
        result.unlisted[key] = part.unlisted


def _add_draft(
    key: TraceKey, part: TracePart, requested: Status, drafts: Drafts, prices: PriceBook
) -> None:
    if (trajectory := _draft(key, part, requested, drafts.result, prices)) is not None:
        drafts.add(key, trajectory, part.spans, part.unplaced)


def _draft(
    key: TraceKey, part: TracePart, requested: Status, result: BatchResult, prices: PriceBook
) -> Trajectory | None:
    try:
        trajectory = describe_rest(extract(key, part.spans, prices), part)
    except Exception as error:  # one malformed trace must not stop the others
        if requested is not Status.FAILED:
            result.failures[key] = error
            return None
        result.statuses[key] = Status.FAILED
        return describe_rest(extract_failure(key, part.spans, error), part)
    result.statuses[key] = _status(requested, trajectory, is_whole=part.is_whole)
    return trajectory


def _status(requested: Status, trajectory: Trajectory, *, is_whole: bool) -> Status:
    if requested is Status.LIVE or not is_whole:
        return Status.LIVE
    return Status.SETTLED if trajectory.has_root else Status.PARTIAL
