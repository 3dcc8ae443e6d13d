"""Scores that people, rules or models give to trajectories and steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import TraceKey

IDENTITY = (
    *("target", "trace_id", "conversation_id", "step_id", "name", "source", "author"),
    *("experiment", "item", "repeat"),
)
"""Members that identify a score; rows with equal members are revisions of the same score."""


class TypedValue(NamedTuple):
    """A value in the form in which scores store it."""

    value_type: str
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
    source: str
    author: str
    revision: int
    """The time at which the revision was accepted, in microseconds since the epoch."""
    target: str = "trajectory"
    step_id: str = ""
    conversation_id: str = ""
    judged_version: int = 0
    """The version of the run that was judged; 0 if unknown."""
    step_hash: str = ""
    value_type: str = "number"
    number: float | None = None
    text: str = ""
    passed: bool | None = None
    is_complete: bool = True
    status: str = "ok"
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
