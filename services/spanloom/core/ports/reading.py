"""Trajectories as readers ask for them: documents, and lists page by page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.ports.replays import ReplayRequests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status


@dataclass(frozen=True, slots=True)
class TrajectoryFilter:
    """Which trajectories a list shows; ``None`` and empty mean any."""

    project: str | None = None
    start_from_ns: int | None = None
    """Root start at or after this time."""
    start_before_ns: int | None = None
    status: Status | None = None
    root_name: str | None = None
    has_error: bool | None = None
    agent_name: str | None = None
    conversation_id: str | None = None


class Cursor(NamedTuple):
    """A position in a list; positions compare as the list is ordered, oldest first."""

    start_ns: int
    trace_id: str
    project: str


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
    has_error: bool
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

    @property
    def cursor(self) -> Cursor:
        """The position just behind this line."""
        return Cursor(self.start_ns, self.key.trace_id, self.key.project)


class TrajectoryReader(Protocol):
    """Gives readers the current version of trajectories."""

    def document(self, trace_id: str, project: str | None = None) -> bytes | None:
        """Return the document; without a project, that of the newest that has the trace."""

    def spans_document(self, trace_id: str, project: str | None = None) -> bytes | None:
        """Return the JSON list of what became of each span."""

    def list(
        self, where: TrajectoryFilter, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """Return up to ``limit`` summaries by (start, trace id, project), newest first."""

    def conversation(
        self, conversation_id: str, project: str | None, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """Return up to ``limit`` of a conversation by (start, trace id, project), oldest first.

        A conversation is of one project; without one, those of all that have its id. The empty
        id is no conversation.
        """


class ReadingStore(TrajectoryReader, ReplayRequests, Protocol):
    """All that the API asks of a store."""
