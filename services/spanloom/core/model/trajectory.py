"""The trajectory: the request to an agent, its steps, and their cost.

The shape is the Coze Loop trajectory schema (``id``, ``root_step``, ``agent_steps``); Spanloom's
own fields are in ``extraction``. Times are nanoseconds here and become millisecond
strings in ``core/formats``. Types with one instance per span are named tuples, which are created
in a third of the time of a frozen dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.step import Step, StepError


class Kind(StrEnum):
    """The kind of a span: a step type, or framework noise."""

    AGENT = "agent"
    MODEL = "model"
    TOOL = "tool"
    GRAPH = "graph"
    OTHER = "other"


class Status(StrEnum):
    """How complete a trace was when its trajectory was built."""

    LIVE = "live"
    """Spans keep arriving."""
    SETTLED = "settled"
    """The root has arrived, and no further span during the quiet period."""
    PARTIAL = "partial"
    """No span has arrived for a long time, and the root never did."""
    FAILED = "failed"
    """The extractor could not build it; the warnings contain the error."""


class Outcome(StrEnum):
    """How a run ended, as far as its spans show."""

    OK = "ok"
    """Nothing failed."""
    RECOVERED = "recovered"
    """Something failed, and the run recovered from every failure."""
    PAUSED = "paused"
    """The run waits for a person, and was not resumed in the same trace."""
    CANCELLED = "cancelled"
    """The run was stopped from outside before it had an answer."""
    UNFINISHED = "unfinished"
    """The run has no end in the stored spans; its process may have been killed."""
    FAILED = "failed"
    """Something failed, and the run did not recover from it."""


class Failure(NamedTuple):
    """One failure of a run, on any span, including noise."""

    span_id: str
    """The span that failed."""
    step_id: str
    """The step that shows the failure."""
    error: StepError
    recovered: bool
    """Whether the run recovered from it: an enclosing span continued and ended well."""


class Pause(NamedTuple):
    """A point at which a run waits for a person."""

    span_id: str
    """The span that paused."""
    step_id: str
    """The step that shows the pause."""
    question: str
    """The question, as text or JSON; empty if not reported."""


class Metrics(NamedTuple):
    """The ``metrics_info`` of an agent or of the whole run in the Coze Loop schema."""

    llm_duration_ns: int = 0
    """Sum over model steps; parallel calls can make it longer than the wall-clock time."""
    tool_duration_ns: int = 0
    model_errors: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Ids of failed model steps, keyed by error code."""
    tool_errors: Mapping[str, Sequence[str]] = MappingProxyType({})
    model_error_rate: float = 0.0
    tool_error_rate: float = 0.0
    tool_step_proportion: float = 0.0
    """Tool steps as a share of all model and tool steps."""
    input_tokens: int = 0
    output_tokens: int = 0


class AgentStep(NamedTuple):
    """An agent's run, or a root that owns steps, with its steps in order."""

    step: Step
    steps: Sequence[Step]
    metrics: Metrics


class SpanVerdict(NamedTuple):
    """The classification of a stored span, with the rule that decided."""

    span_id: str
    parent_span_id: str
    name: str
    kind: Kind
    step_id: str | None
    """The step to which the span belongs: its own id if it is the step, ``None`` for noise."""
    dialect: str
    rule: str
    start_ns: int
    end_ns: int
    error: StepError | None = None
    """The failure that the span reports, even if the span is noise."""
    evaluations: Sequence[Mapping[str, object]] = ()
    """The evaluation results in the span's events."""


@dataclass(frozen=True, slots=True)
class DuplicateOf:
    """The model or tool step of another trace that this trajectory reports again."""

    trace_id: str
    span_id: str


@dataclass(slots=True)  # not frozen: that would triple the time to create one
class Trajectory:
    """The canonical result of extraction, without its version and status.

    Equal spans yield equal trajectories, whatever their order, batching or repetition on arrival.
    """

    trace_id: str
    project: str
    root: Step
    """A step with the root span's id, even if the span is not a step (see ``root_type``)."""
    root_type: Kind
    root_metrics: Metrics
    agent_steps: Sequence[AgentStep]
    verdicts: Sequence[SpanVerdict]
    """The classification of each stored span, ordered by start and span id."""
    span_count: int
    step_counts: Mapping[str, int]
    """Number of steps by type; ``other`` counts spans that are no step."""
    dialects: Sequence[str]
    warnings: Sequence[str]
    extras: Mapping[str, object]
    """Further fields of ``extraction``: wall-clock times, first token, models …"""
    failures: Sequence[Failure] = ()
    """Each failure once, ordered by the start of the failed spans."""
    pauses: Sequence[Pause] = ()
    """The pauses that were not resumed within the trace."""
    is_cancelled: bool = False
    """Whether a cancellation ended the run: nothing continued after it, and there is no answer."""
    is_unfinished: bool = False
    """Whether its root, or an agent or graph not run by another agent, has no end."""
    is_resuming: bool = False
    """Whether the run continues an earlier run that waited for a person, as its root reports."""
    duplicate_of: DuplicateOf | None = None
    extractor_version: str = ""
    has_root: bool = True
    absences: Sequence[str] = ()
    """The warnings about missing spans, which are not shown while a run is still in progress."""

    @property
    def conversation_id(self) -> str:
        """The run's conversation; empty if the run names no conversation, or several."""
        return str(self.extras.get("conversation_id", ""))

    @property
    def is_waiting(self) -> bool:
        """Whether the run waits for a person, even if something failed as well."""
        return bool(self.pauses)

    @property
    def services(self) -> Sequence[str]:
        """Names of the services that sent its spans, sorted."""
        services = self.extras.get("services")
        return services if isinstance(services, list) else ()

    @property
    def outcome(self) -> Outcome:
        """The run's outcome: failed, cancelled, paused, unfinished, recovered or ok.

        If several apply, the first one in this order.
        """
        if not all(failure.recovered for failure in self.failures):
            return Outcome.FAILED
        if self.is_cancelled:
            return Outcome.CANCELLED
        if self.pauses:
            return Outcome.PAUSED
        if self.is_unfinished:
            return Outcome.UNFINISHED
        return Outcome.RECOVERED if self.failures else Outcome.OK

    @property
    def failure_count(self) -> int:
        """The number of failures."""
        return len(self.failures)

    @property
    def cause(self) -> StepError | None:
        """The first failure from which the run did not recover, or else its first failure."""
        lasting = (failure for failure in self.failures if not failure.recovered)
        first = next(lasting, next(iter(self.failures), None))
        return None if first is None else first.error

    @property
    def has_error(self) -> bool:
        """Whether anything failed that the run did not recover from."""
        return self.outcome is Outcome.FAILED
