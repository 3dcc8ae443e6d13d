"""The trajectory: what an agent was asked, what it did, and what that cost.

The shape is the Coze Loop trajectory schema (``id``, ``root_step``, ``agent_steps``); what
Spanloom adds stands in ``Extraction``. Times are nanoseconds here and become millisecond
strings in ``core/formats``. What exists once a span is a named tuple, which is made in a third
of the time of a frozen dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class StepType(StrEnum):
    """What a step is."""

    AGENT = "agent"
    MODEL = "model"
    TOOL = "tool"
    GRAPH = "graph"


class Kind(StrEnum):
    """What a span is: a step type, or framework noise."""

    AGENT = "agent"
    MODEL = "model"
    TOOL = "tool"
    GRAPH = "graph"
    OTHER = "other"


class Status(StrEnum):
    """How far a trace had come when its trajectory was built."""

    LIVE = "live"
    """Spans keep arriving."""
    SETTLED = "settled"
    """The root arrived and nothing after it for the quiet time."""
    PARTIAL = "partial"
    """Quiet for long, but no root ever came."""
    FAILED = "failed"
    """The extractor could not build it; the error stands in the warnings."""


class Outcome(StrEnum):
    """How a run went, as far as its spans tell."""

    OK = "ok"
    """Nothing failed."""
    RECOVERED = "recovered"
    """Something failed, and the run got over all of it."""
    PAUSED = "paused"
    """It waits for a person, and was not resumed in the same trace."""
    CANCELLED = "cancelled"
    """It was stopped from outside before it had an answer."""
    FAILED = "failed"
    """Something failed for good: nothing around it ended well."""


TOLD_BY_STATUS = "status"
"""What a failure is told by if nothing but the span's status tells it."""
NO_CODE = -1
"""The code of a failure that came without one."""


@dataclass(frozen=True, slots=True)
class StepError:
    """A real failure of a step; control flow is none."""

    code: int
    """The HTTP or provider code where one is given, else ``NO_CODE``."""
    message: str
    """What it says; the type where it says nothing."""
    type: str = ""
    """The exception's name without its package, ``KeyError``, or another word for what went wrong,
    ``content_filter``; empty where nothing tells."""
    traceback: str = field(default="", compare=False)
    """Through what it came; each instrumentation tells it otherwise."""
    told_by: str = field(default="", compare=False)
    """What on the span tells it: ``exception``, ``attribute`` or ``status``; the first counts."""


def with_type(message: str, kind: str) -> str:
    """Return a failure as Python ends a traceback, ``KeyError: 'city'``, the type once."""
    return message if not kind or message.startswith(kind) else f"{kind}: {message}"


class Failure(NamedTuple):
    """One failure of a run, wherever it happened, on plumbing too."""

    span_id: str
    """Where it happened."""
    step_id: str
    """The step that shows it."""
    error: StepError
    recovered: bool
    """Whether what is around it went on and ended well."""


class Pause(NamedTuple):
    """Where a run stopped to ask a person."""

    span_id: str
    """Where it happened."""
    step_id: str
    """The step that shows it."""
    question: str
    """What was asked, text or JSON; empty where it is not told."""


class Usage(NamedTuple):
    """Tokens of one model call; input includes cached tokens, output includes reasoning."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0

    def completed_by(self, other: Usage) -> Usage:
        """Return these numbers, and those of ``other`` where these say nothing."""
        return Usage(*(ours or theirs for ours, theirs in zip(self, other, strict=True)))

    def since(self, earlier: Usage) -> Usage:
        """Return what these numbers, a running sum, have added to those of ``earlier``."""
        return Usage(*(max(0, now - then) for now, then in zip(self, earlier, strict=True)))


class Step(NamedTuple):
    """One thing that happened: an agent, model, tool or graph run."""

    id: str
    parent_id: str
    """The nearest kept ancestor; empty for the root."""
    type: StepType
    name: str
    start_ns: int
    end_ns: int
    input: str = ""
    output: str = ""
    error: StepError | None = None
    usage: Usage | None = None
    """Of model steps only."""
    model: str = ""
    """Of model steps only: the model that answered, else the requested one."""
    first_token_ms: float | None = None
    metadata: Mapping[str, str] = MappingProxyType({})

    @property
    def dialect(self) -> str:
        """The dialect that told of it; empty where nothing says so."""
        return self.metadata.get("dialect", "")

    @property
    def richness(self) -> int:
        """How many things are told of it: texts, model, kinds of tokens, what a failure was.

        Two instrumentations tell of one run with equal steps; that which tells more counts.
        """
        error = self.error
        of_failure = (error.code not in (0, -1), error.type, error.message) if error else ()
        texts = (self.input, self.output, self.model)
        return sum(map(bool, (*texts, self.first_token_ms, *(self.usage or ()), *of_failure)))


def names_of_agents(agents: Iterable[Step]) -> list[str]:
    """Return the names of agents in the order in which they began, each once."""
    began = sorted(agents, key=lambda s: (s.start_ns, s.id))
    return list(dict.fromkeys(s.metadata.get("agent_name", s.name) for s in began))


class Metrics(NamedTuple):
    """The seed schema's ``metrics_info`` of an agent or of the whole run."""

    llm_duration_ns: int = 0
    """Sum over model steps, so parallel calls exceed the wall time."""
    tool_duration_ns: int = 0
    model_errors: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Error code to step ids."""
    tool_errors: Mapping[str, Sequence[str]] = MappingProxyType({})
    model_error_rate: float = 0.0
    tool_error_rate: float = 0.0
    tool_step_proportion: float = 0.0
    """Tool steps among model and tool steps."""
    input_tokens: int = 0
    output_tokens: int = 0


class AgentStep(NamedTuple):
    """An agent's run, or the root where it owns steps itself, with its steps in order."""

    step: Step
    steps: Sequence[Step]
    metrics: Metrics


class SpanVerdict(NamedTuple):
    """What became of one stored span, and why."""

    span_id: str
    parent_span_id: str
    name: str
    kind: Kind
    step_id: str | None
    """The step under which the span counts; its own id if it is that step, ``None`` for noise."""
    dialect: str
    rule: str
    start_ns: int
    end_ns: int
    error: StepError | None = None
    """The failure that the span tells, on plumbing too."""


@dataclass(frozen=True, slots=True)
class DuplicateOf:
    """The model or tool step of another trace that this trajectory reports again."""

    trace_id: str
    span_id: str


@dataclass(slots=True)  # not frozen: to be so would triple the time that making one takes
class Trajectory:
    """The canonical result of extraction, without its version and status.

    Equal spans give equal trajectories, in whatever order, batching or repetition they came.
    """

    trace_id: str
    project: str
    root: Step
    """Carries the root span's identity; its ``type`` says what the root is where it is a step."""
    root_type: Kind
    root_metrics: Metrics
    agent_steps: Sequence[AgentStep]
    verdicts: Sequence[SpanVerdict]
    """One per stored span in (start, span id) order."""
    span_count: int
    step_counts: Mapping[str, int]
    """Steps by type, and ``other``: spans that are no step."""
    dialects: Sequence[str]
    warnings: Sequence[str]
    extras: Mapping[str, object]
    """What ``extraction`` shows beyond the fixed fields: wall-clock times, first token, models."""
    failures: Sequence[Failure] = ()
    """Each once, in the order in which the failed spans began."""
    pauses: Sequence[Pause] = ()
    """Those that were not over by the end of the trace."""
    is_cancelled: bool = False
    """Whether a cancellation ended it: nothing around it went on, and there is no answer."""
    is_resuming: bool = False
    """Whether it goes on with an earlier run that waited for a person, as its root tells."""
    duplicate_of: DuplicateOf | None = None
    extractor_version: str = ""
    has_root: bool = True
    absences: Sequence[str] = ()
    """Those of the warnings that say what has not arrived; no news of a run that is still going."""

    @property
    def conversation_id(self) -> str:
        """The conversation that the run belongs to; empty where it names none, or several."""
        return str(self.extras.get("conversation_id", ""))

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a person, also if something failed besides."""
        return bool(self.pauses)

    @property
    def services(self) -> Sequence[str]:
        """Who sent its spans, sorted."""
        named = self.extras.get("services")
        return named if isinstance(named, list) else ()

    @property
    def outcome(self) -> Outcome:
        """How the run went."""
        if not all(failure.recovered for failure in self.failures):
            return Outcome.FAILED
        if self.is_cancelled:
            return Outcome.CANCELLED
        if self.pauses:
            return Outcome.PAUSED
        return Outcome.RECOVERED if self.failures else Outcome.OK

    @property
    def has_error(self) -> bool:
        """Whether anything failed that the run did not get over."""
        return self.outcome is Outcome.FAILED
