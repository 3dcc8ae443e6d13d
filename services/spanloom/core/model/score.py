"""Scores that people, rules or models give to trajectories and steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import TraceKey

# Tuples, because a member of a file may be of any type, and a list in a set is a ``TypeError``.
SentSource = Literal["model", "rule", "llm", "code", "api", "human", "import"]
"""The sources that a writer of scores may name."""
Source = Literal[SentSource, "adjudication"]
"""The origin of an annotation (``Origin``), or the kind of evaluator that gave the score."""
SENT_SOURCES: Final = get_args(SentSource)
ADJUDICATION: Final = "adjudication"
IMPORT: Final = "import"
"""The source of a score whose file or sender names none that is known."""
PEOPLE: Final[tuple[Source, ...]] = ("human", ADJUDICATION, IMPORT)
"""Sources of scores that count as people's labels; imported annotations are people's."""
MACHINES: Final[tuple[Source, ...]] = ("rule", "llm", "code", "model", "api")
EVALUATORS: Final[tuple[Source, ...]] = ("rule", "llm", "code")
"""Sources of the scores that evaluators of this service give."""
OF_ANNOTATIONS: Final[tuple[Source, ...]] = ("human", ADJUDICATION)
"""Sources of the scores that the service computes from annotations of a scheme."""

TargetOfRun = Literal["trajectory", "step", "span"]
"""The targets that are a run or a part of it."""
Target = Literal[TargetOfRun, "conversation", "item"]
TARGETS: Final = get_args(Target)
OF_A_RUN: Final = get_args(TargetOfRun)

Status = Literal["ok", "na", "skipped", "error"]
"""``na``: it does not apply; ``skipped``: the budget was spent. Only ``ok`` has a value."""
STATUSES: Final = get_args(Status)
FAULTS: Final[tuple[Status, ...]] = ("error", "skipped")
"""Statuses of scores that are worth another try."""

GivenType = Literal["number", "boolean", "category", "text"]
ValueType = Literal[GivenType, "none"]
GIVEN_TYPES: Final = get_args(GivenType)

IDENTITY = (
    *("target", "trace_id", "conversation_id", "step_id", "name", "source", "author"),
    *("experiment", "item", "repeat"),
)
"""Members that identify a score; rows with equal members are revisions of the same score."""


class TypedValue(NamedTuple):
    """A value in the form in which scores store it."""

    value_type: ValueType
    number: float | None
    text: str


def typed_value(value: float | bool | str | None, label: str = "") -> TypedValue:
    """Return a value with its type; a label without a value is a category."""
    if isinstance(value, bool):
        return TypedValue("boolean", float(value), label)
    if isinstance(value, (int, float)):
        return TypedValue("number", float(value), label)
    text = value or label
    return TypedValue("category" if text or value is not None else "none", None, text)


@dataclass(frozen=True, slots=True)
class Score:
    """One revision of a score; the highest revision of an ``id`` counts."""

    key: TraceKey
    """The key of the trace; its id is empty if the target is a conversation or an item."""
    name: str
    source: Source
    author: str
    revision: int
    """The time at which the revision was accepted, in microseconds since the epoch."""
    target: Target = "trajectory"
    step_id: str = ""
    conversation_id: str = ""
    judged_version: int = 0
    """The version of the run that was judged; 0 if unknown."""
    step_hash: str = ""
    value_type: ValueType = "number"
    number: float | None = None
    text: str = ""
    passed: bool | None = None
    is_complete: bool = True
    status: Status = "ok"
    error_code: str = ""
    rationale: str = ""
    evidence: str = ""
    """A JSON list; empty if unknown."""
    evaluator_version: str = ""
    config_hash: str = ""
    rule_id: str = ""
    experiment: str = ""
    item: str = ""
    repeat: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    view_fingerprint: str = ""
    """Fingerprint of the parts of the run that the evaluator read; empty if unknown."""
    coverage: float | None = None
    """The share of the run that was read, 0 to 1; ``None`` if all of it, or unknown."""
    cached: bool = False
    """Whether all responses of the judging model came from the cache."""
    metrics: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Further numbers, keyed by name."""
    is_deleted: bool = False

    @property
    def id(self) -> str:
        """Identity of the score in all revisions: 32 hex digits, computed like in the store."""
        of = self.conversation_id if self.target == "conversation" else self.step_id
        parts = [self.key.project, self.target, self.key.trace_id, of, self.name, self.source]
        parts += [self.author, self.experiment, self.item, str(self.repeat)]
        return sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]
