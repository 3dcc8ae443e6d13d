"""What annotators are asked: the options, the taxonomy of errors and what severities weigh."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STEPWISE = ("trajectory_eval", "process_reward")
"""Kinds of schemes that say something of each step."""
WHOLE_RUN = ("failure_attribution", "trajectory_edit", "error_span")
"""Kinds of schemes whose answer is one object of the whole trajectory."""
KINDS = (*STEPWISE, *WHOLE_RUN)


class ErrorType(NamedTuple):
    """One type of the taxonomy."""

    name: str
    subtypes: Sequence[str] = ()


class Severity(NamedTuple):
    """How bad, and what it takes off the score: 5 whether the YAML says -5 or 5."""

    name: str
    weight: float


@dataclass(frozen=True)
class Scheme:
    """A scheme as it is understood; ``text`` is how it was given."""

    name: str
    kind: str
    description: str = ""
    options: Sequence[str] = ()
    correct_option: str = "correct"
    error_types: Sequence[ErrorType] = ()
    severities: Sequence[Severity] = ()
    max_score: float = 100
    show_score: bool = True
    is_required: bool = False
    """Whether done means that all is said: see ``missing.py``."""
    agents: Sequence[str] = ()
    """Who can be responsible besides the agents of the run."""
    needs_reason: bool = False
    """Whether done means that every correction says why."""
    steps_key: str = "steps"
    step_text_key: str = "action"
    definitions: Mapping[str, str] = field(default_factory=dict)
    """What types and subtypes mean, for a tip."""
    text: str = ""

    @cached_property
    def hash(self) -> str:
        """Identifies the text of the scheme."""
        return hash_of(self.text)

    @property
    def is_stepwise(self) -> bool:
        """Whether its rows are of steps."""
        return self.kind in STEPWISE

    @property
    def has_score(self) -> bool:
        """Whether its marks come to a score."""
        return self.kind == "trajectory_eval"

    @property
    def weighing(self) -> object:
        """What marks come to a score by: schemes that weigh alike have equal ones."""
        return self.kind, self.correct_option, self.max_score, tuple(sorted(self.severities))

    def weight_of(self, severity: str) -> float:
        """Return what a severity takes off; one that is not in the scheme takes nothing."""
        return next((s.weight for s in self.severities if s.name == severity), 0.0)

    def subtypes_of(self, error_type: str) -> Sequence[str]:
        """Return the subtypes of a type; none of an unknown one."""
        return next((t.subtypes for t in self.error_types if t.name == error_type), ())


def hash_of(text: str) -> str:
    """Return what identifies a text: 32 hex digits."""
    return blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
