"""Types for documents, diffs and pages of lists; the items of lists are in ``core/records``.

Times and durations are whole milliseconds here, strings in JSON. A field that a newer service
adds is preserved: ``item.model_extra`` has it, and ``model_dump_json()`` writes it back.
"""

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Kind, Outcome, Status
from spanloom.core.records.declared import Milliseconds, Moment
from spanloom.core.records.record import Record

ItemT = TypeVar("ItemT", bound=BaseModel)


class Page(Record, Generic[ItemT]):
    """Some items of a list, and the cursor of the next page."""

    items: list[ItemT]
    next_cursor: str | None


class StepError(Record):
    """Why a step failed."""

    code: int
    msg: str


class BasicInfo(Record):
    """When a step ran, and whether it failed."""

    started_at: Moment
    duration: Milliseconds
    error: StepError | None = None


class MetricsInfo(Record):
    """The metrics of an agent, or of a whole run."""

    llm_duration: Milliseconds
    tool_duration: Milliseconds
    tool_errors: dict[str, list[str]]
    tool_error_rate: float
    model_errors: dict[str, list[str]]
    model_error_rate: float
    tool_step_proportion: float
    input_tokens: int
    output_tokens: int


class ModelInfo(Record):
    """The tokens of a model call, and the latency of its first response."""

    input_tokens: int
    output_tokens: int
    latency_first_resp: Milliseconds | None = None
    reasoning_tokens: int
    input_read_cached_tokens: int
    input_creation_cached_tokens: int


class RootStep(Record):
    """The whole run, as a step."""

    id: str
    name: str
    input: str
    output: str
    metadata: dict[str, str]
    basic_info: BasicInfo
    metrics_info: MetricsInfo


class Step(Record):
    """One step of an agent."""

    id: str
    parent_id: str
    type: StepType
    name: str
    input: str
    output: str
    metadata: dict[str, str]
    basic_info: BasicInfo
    model_info: ModelInfo | None = None


class AgentStep(RootStep):
    """An agent and its steps."""

    parent_id: str
    steps: list[Step]


class Failure(Record):
    """A failure in the run, with its location."""

    code: int
    msg: str
    type: str
    where: str
    step_id: str
    recovered: bool
    traceback: str = ""


class Cost(Record):
    """The cost of the model calls of a run, in US dollars."""

    usd: float | None
    """The total cost; ``None`` if a price is unknown."""
    known_usd: float | None
    """The cost of the calls whose price is known."""
    sources: list[str]
    """``sender``, ``own`` (the operator's prices), or a catalogue with its version."""
    unpriced_calls: int = 0
    unpriced_models: list[str] = []  # noqa: RUF012  # pydantic copies it


class Extraction(Record):
    """Metadata of the extraction; further members are in ``model_extra``."""

    version: int
    status: Status
    extractor_version: str
    project: str
    span_count: int
    step_counts: dict[str, int]
    root_type: Kind
    dialects: list[str]
    warnings: list[str]
    outcome: Outcome | None = None
    """``None`` in documents of older extractors."""
    failures: int = 0
    errors: list[Failure] = []  # noqa: RUF012  # pydantic copies it
    conversation_id: str | None = None
    environment: str | None = None
    user_id: str | None = None
    tags: list[str] = []  # noqa: RUF012  # pydantic copies it
    metadata: dict[str, str] = {}  # noqa: RUF012  # pydantic copies it
    """Metadata of the run, as reported by the sender."""
    reported_cost: float | None = None
    """The cost of the calls as reported by the sender, in the sender's currency."""
    cost: Cost | None = None
    """``None`` without model calls, and in documents of older extractors."""
    is_resuming: bool = False
    """Whether the run received the answer for which an earlier run waited."""
    resumes: str | None = None
    """The trace id of the earlier run that waited for the answer, once that run is stored."""
    resumed_by: str | None = None
    """The trace id of the run that received the answer for which this run waited."""


class Trajectory(Record):
    """The canonical document of one run."""

    id: str
    root_step: RootStep
    agent_steps: list[AgentStep]
    extraction: Extraction

    @property
    def steps(self) -> list[Step]:
        """Every step of the run once, agent by agent."""
        return [step for agent in self.agent_steps for step in agent.steps]

    def _repr_html_(self) -> str:
        from spanloom.client.html import tree_html  # noqa: PLC0415  # for notebooks only

        return tree_html(self.model_dump(mode="json"))


Op = Literal["same", "changed", "added", "removed", "moved"]


class DiffSide(Record):
    """One of the two runs."""

    trace_id: str
    project: str
    version: int
    status: Status
    outcome: str = ""
    name: str = ""
    """The name of the root."""
    started_at: int = 0
    """Milliseconds since the epoch."""


class DiffChange(Record):
    """A field that has different values in both steps."""

    field: str
    """``output``, ``input.limit``, ``duration`` …"""
    a: Any = None  # any JSON value
    b: Any = None  # any JSON value


class DiffStep(Record):
    """A step of either run, or of both."""

    op: Op
    type: str | None = None
    name: str | None = None
    changes: list[DiffChange] = []  # noqa: RUF012  # pydantic copies it


class DiffSummary(Record):
    """How many steps of each kind there are; the counts by op are in ``model_extra`` too."""

    same: int = 0
    changed: int = 0
    added: int = 0
    removed: int = 0
    moved: int = 0
    metrics: dict[str, list[float | None]]
    """Values of both runs by name: ``duration``, ``model_time`` and ``tool_time`` in ms, tokens,
    ``cost`` in US dollars, steps by type (``tool_steps``), ``errors``."""
    first_difference: int | None = None


class Diff(Record):
    """Two runs side by side."""

    a: DiffSide
    b: DiffSide
    same: bool
    summary: DiffSummary
    steps: list[DiffStep]
