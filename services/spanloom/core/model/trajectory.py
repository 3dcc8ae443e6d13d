"""The trajectory: the request to an agent, its steps, and what they cost.

The shape is the Coze Loop trajectory schema (``id``, ``root_step``, ``agent_steps``); Spanloom's
own fields are in ``extraction``. Times are nanoseconds here and become millisecond
strings in ``core/formats``. Types with one instance per span are named tuples, which are created
in a third of the time of a frozen dataclass.
"""

from __future__ import annotations

import re
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
    """The root arrived, then no span for the quiet time."""
    PARTIAL = "partial"
    """No span for a long time, and the root never arrived."""
    FAILED = "failed"
    """The extractor could not build it; the warnings contain the error."""


class Outcome(StrEnum):
    """How a run went, as far as its spans show."""

    OK = "ok"
    """Nothing failed."""
    RECOVERED = "recovered"
    """Something failed, and the run recovered from every failure."""
    PAUSED = "paused"
    """It waits for a person, and was not resumed in the same trace."""
    CANCELLED = "cancelled"
    """It was stopped from outside before it had an answer."""
    UNFINISHED = "unfinished"
    """It never ended, as far as its spans tell: its process may have been killed."""
    FAILED = "failed"
    """Something failed, and nothing around it ended well."""


REPORTED_BY_STATUS = "status"
"""``StepError.reported_by`` of a failure that only the span's status reports."""
NO_CODE = -1
"""The code of a failure without one."""


@dataclass(frozen=True, slots=True)
class StepError:
    """A failure of a step; exceptions for control flow are none."""

    code: int
    """The HTTP or provider code if reported, else ``NO_CODE``."""
    message: str
    """The error message; the type if there is none."""
    type: str = ""
    """The exception's name without its package, ``KeyError``, or another word for what went wrong,
    ``content_filter``; empty if unknown."""
    traceback: str = field(default="", compare=False)
    """The stack trace; its form depends on the instrumentation."""
    reported_by: str = field(default="", compare=False)
    """What on the span reports it: ``exception``, ``attribute`` or ``status``, in this order."""


_LITERAL = re.compile(r"'[^']*+'|\"[^\"]*+\"", re.DOTALL)


def with_type(message: str, kind: str) -> str:
    """Return ``KeyError: 'city'``, as Python ends a traceback, with the type only once.

    A message may begin with it, with or without its package: ``openai.RateLimitError: slow down``.
    """
    begins = message.startswith(kind) or message.partition(":")[0].endswith(f".{kind}")
    return message if not kind or begins else f"{kind}: {message}"


def explained(message: str, kind: str) -> str:
    """Return the message, with the type if it is only the repr of an argument: ``'city'``."""
    is_argument = message and (kind == "KeyError" or _LITERAL.fullmatch(message))
    return with_type(message, kind) if is_argument else message


AHEAD_NS = 60 * 10**9
"""Clocks of two machines that are set right differ by less."""
_FIRST_SET_US = 10**15
"""A sequence before 2001 is that of a service whose own clock is not set."""


def ahead_ns(start_ns: int, seq: int) -> int:
    """Return how long after its arrival something began, because the sender's clock is ahead.

    ``seq`` is a span version: microseconds at which it was accepted. 0 if the clocks agree.
    """
    ahead = start_ns - seq * 1_000
    return ahead if ahead > AHEAD_NS and seq > _FIRST_SET_US else 0


def listed_start_ns(start_ns: int, seq: int) -> int:
    """Return the start by which lists order a run: never later than it arrived."""
    return start_ns - ahead_ns(start_ns, seq)


class Failure(NamedTuple):
    """One failure of a run, on any span including noise."""

    span_id: str
    """The span that failed."""
    step_id: str
    """The step that shows the failure."""
    error: StepError
    recovered: bool
    """Whether an enclosing span continued and ended well."""


class Pause(NamedTuple):
    """A point where a run waits for a person."""

    span_id: str
    """The span that paused."""
    step_id: str
    """The step that shows the pause."""
    question: str
    """The question, text or JSON; empty if not reported."""


class Usage(NamedTuple):
    """Tokens of one model call; input includes cached tokens, output includes reasoning."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0

    def completed_by(self, other: Usage) -> Usage:
        """Return these numbers, with zeros replaced by those of ``other``."""
        return Usage(*(ours or theirs for ours, theirs in zip(self, other, strict=True)))

    def since(self, earlier: Usage) -> Usage:
        """Return the difference of two running sums, never below 0."""
        return Usage(*(max(0, now - then) for now, then in zip(self, earlier, strict=True)))


class Step(NamedTuple):
    """One step of a run: a model call, tool run, agent or graph."""

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
    """Of model steps only: the model that responded, else the requested one."""
    first_token_ms: float | None = None
    metadata: Mapping[str, str] = MappingProxyType({})

    @property
    def dialect(self) -> str:
        """The dialect that read the step's span; empty if not recorded."""
        return self.metadata.get("dialect", "")

    @property
    def richness(self) -> int:
        """How many details are known: texts, model, kinds of tokens, details of a failure.

        If two instrumentations report the same run, the step with more details is kept.
        """
        error = self.error
        of_failure = (error.code not in (0, -1), error.type, error.message) if error else ()
        texts = (self.input, self.output, self.model)
        return sum(map(bool, (*texts, self.first_token_ms, *(self.usage or ()), *of_failure)))


def names_of_agents(agents: Iterable[Step]) -> list[str]:
    """Return the distinct names of agents in the order of their start."""
    began = sorted(agents, key=lambda s: (s.start_ns, s.id))
    return list(dict.fromkeys(s.metadata.get("agent_name", s.name) for s in began))


class Metrics(NamedTuple):
    """The ``metrics_info`` of an agent or of the whole run in the Coze Loop schema."""

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
    """An agent's run, or a root that has steps of its own, with these steps in order."""

    step: Step
    steps: Sequence[Step]
    metrics: Metrics


class SpanVerdict(NamedTuple):
    """How one stored span was classified, and by which rule."""

    span_id: str
    parent_span_id: str
    name: str
    kind: Kind
    step_id: str | None
    """The step that the span belongs to; its own id if it is that step, ``None`` for noise."""
    dialect: str
    rule: str
    start_ns: int
    end_ns: int
    error: StepError | None = None
    """The failure that the span reports, even if it is noise."""
    evaluations: Sequence[Mapping[str, object]] = ()
    """The results of evaluations in its events."""


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
    """Has the id of the root span; ``root_type`` tells whether the span itself is a step."""
    root_type: Kind
    root_metrics: Metrics
    agent_steps: Sequence[AgentStep]
    verdicts: Sequence[SpanVerdict]
    """One per stored span in (start, span id) order."""
    span_count: int
    step_counts: Mapping[str, int]
    """Number of steps by type, and ``other``: spans that are no step."""
    dialects: Sequence[str]
    warnings: Sequence[str]
    extras: Mapping[str, object]
    """Further fields of ``extraction``: wall-clock times, first token, models …"""
    failures: Sequence[Failure] = ()
    """Each once, by the start of the failed spans."""
    pauses: Sequence[Pause] = ()
    """Those not resumed within the trace."""
    is_cancelled: bool = False
    """Whether a cancellation ended it: nothing around it continued, and there is no answer."""
    is_unfinished: bool = False
    """Whether its root, or an agent that no other agent runs, has no end."""
    is_resuming: bool = False
    """Whether it continues an earlier run that waited for a person, as its root reports."""
    duplicate_of: DuplicateOf | None = None
    extractor_version: str = ""
    has_root: bool = True
    absences: Sequence[str] = ()
    """The warnings about missing spans; not worth showing while a run is still going."""

    @property
    def conversation_id(self) -> str:
        """The conversation that the run belongs to; empty if it names none, or several."""
        return str(self.extras.get("conversation_id", ""))

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a person, even if something failed as well."""
        return bool(self.pauses)

    @property
    def services(self) -> Sequence[str]:
        """Names of the services that sent its spans, sorted."""
        services = self.extras.get("services")
        return services if isinstance(services, list) else ()

    @property
    def outcome(self) -> Outcome:
        """How the run ended; of several, the first of failed, cancelled, paused, unfinished."""
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
        """How many failures there were."""
        return len(self.failures)

    @property
    def cause(self) -> StepError | None:
        """Why it failed: the first failure that it did not recover from, else the first."""
        lasting = (failure for failure in self.failures if not failure.recovered)
        first = next(lasting, next(iter(self.failures), None))
        return None if first is None else first.error

    @property
    def has_error(self) -> bool:
        """Whether anything failed that the run did not recover from."""
        return self.outcome is Outcome.FAILED
