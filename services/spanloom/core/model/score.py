"""Scores of trajectories and steps, by people, rules or models."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey

IDENTITY = (
    *("target", "trace_id", "conversation_id", "step_id", "name", "source", "author"),
    *("experiment", "item", "repeat"),
)
"""Members that make a score the same one; others with the same are revisions of it."""


@dataclass(frozen=True, slots=True)
class Score:
    """One revision of a score; the highest revision of an ``id`` counts."""

    key: TraceKey
    """The trace id is empty if the target is a conversation or an item."""
    name: str
    source: str
    author: str
    revision: int
    """Microseconds since the epoch at which it was accepted."""
    target: str = "trajectory"
    step_id: str = ""
    conversation_id: str = ""
    judged_version: int = 0
    """0: unknown."""
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
    """JSON."""
    evaluator_version: str = ""
    config_hash: str = ""
    rule_id: str = ""
    experiment: str = ""
    item: str = ""
    repeat: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    is_deleted: bool = False

    @property
    def id(self) -> str:
        """Identity of the score across revisions: 32 hex digits, as the store computes it."""
        of = self.conversation_id if self.target == "conversation" else self.step_id
        parts = [self.key.project, self.target, self.key.trace_id, of, self.name, self.source]
        parts += [self.author, self.experiment, self.item, str(self.repeat)]
        return sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]
