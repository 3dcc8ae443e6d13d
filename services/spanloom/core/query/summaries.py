"""Lines of lists: what a list tells of a run or of a conversation, and where it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.query.question import Rank


class Cursor(NamedTuple):
    """A position in a list; their places compare as the list is ordered, oldest first."""

    start_ns: int
    trace_id: str
    project: str
    rank: Rank = ()
    """What comes before the start, where a list is ordered by something else."""

    @property
    def place(self) -> tuple[object, ...]:
        """By what positions compare."""
        return (*self.rank, self.start_ns, self.trace_id, self.project)


@dataclass(frozen=True, slots=True)
class TrajectorySummary:
    """One line of a list."""

    key: TraceKey
    version: int
    status: Status
    root_name: str
    root_type: str
    start_ns: int
    duration_ns: int
    outcome: Outcome
    failures: int
    agent_names: Sequence[str]
    step_counts: Mapping[str, int]
    span_count: int
    input_tokens: int
    output_tokens: int
    duplicate_of: str
    """The trace that this one repeats, or empty."""
    dialects: Sequence[str] = field(default_factory=tuple)
    conversation_id: str = ""
    """The conversation that the run belongs to, or empty."""
    question: str = ""
    """What was asked, one line of at most 200 characters."""
    answer: str = ""
    services: Sequence[str] = ()
    environment: str = ""
    user_id: str = ""
    tags: Sequence[str] = ()
    models: Sequence[str] = ()
    is_waiting: bool = False
    """Whether it waits for a person, or did before another run went on."""
    is_resuming: bool = False
    """Whether it was given the answer for which an earlier run waited."""
    cost: float | None = None
    """What its model calls cost in US dollars; ``None`` where nobody knows."""
    model_time_ns: int = 0
    """All model calls together, which exceeds the duration where some ran at one time."""
    tool_time_ns: int = 0
    """All runs of tools together."""
    rank: Rank = ()
    """See ``Cursor.rank``."""
    continuation: Continuation = NO_CONTINUATION

    @property
    def has_error(self) -> bool:
        """Whether anything failed that the run did not get over."""
        return self.outcome is Outcome.FAILED

    @property
    def is_duplicate(self) -> bool:
        """Whether it only repeats another trace."""
        return bool(self.duplicate_of)

    @property
    def has_steps(self) -> bool:
        """Whether there is anything to see: a step, or a failure."""
        steps = sum(count for kind, count in self.step_counts.items() if kind != "other")
        return steps > 0 or self.outcome is not Outcome.OK or self.status is Status.FAILED

    @property
    def cursor(self) -> Cursor:
        """The position just behind this line."""
        return Cursor(self.start_ns, self.key.trace_id, self.key.project, self.rank)


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One line of a list of conversations: its runs together, how it began and where it is now."""

    project: str
    conversation_id: str
    cursor: Cursor
    """The position just behind this line: that of its newest run which the filters want."""
    runs: int
    start_ns: int
    """When its first run began."""
    question: str
    """What was asked first, one line of at most 200 characters."""
    answer: str
    """What its last run answered; empty where that one waits, failed, or is under way."""
    user_id: str
    """For whom the newest run was that tells it, or empty."""
    input_tokens: int
    output_tokens: int
    last_trace_id: str
    last_start_ns: int
    last_duration_ns: int
    last_status: Status
    last_outcome: Outcome
