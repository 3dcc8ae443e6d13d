"""An annotation scheme: options, error taxonomy, and severities with their weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STEPWISE = ("trajectory_eval", "process_reward")
"""Kinds of schemes in which each step is annotated."""
WHOLE_RUN = ("failure_attribution", "trajectory_edit", "error_span")
"""Kinds of schemes with one annotation for the whole trajectory."""
KINDS = (*STEPWISE, *WHOLE_RUN)


class ErrorType(NamedTuple):
    """An error type of the taxonomy, with its subtypes."""

    name: str
    subtypes: Sequence[str] = ()


class Severity(NamedTuple):
    """A severity and its penalty, which is positive: both -5 and 5 in the YAML become 5."""

    name: str
    weight: float


@dataclass(frozen=True)
class Scheme:
    """A parsed scheme; ``text`` is the YAML from which it was parsed."""

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
    """Whether finishing an item requires complete answers: see ``marks.what_is_missing``."""
    agents: Sequence[str] = ()
    """Agents that may be chosen as responsible, in addition to the agents of the run."""
    needs_reason: bool = False
    """Whether finishing an item requires a reason for every correction."""
    steps_key: str = "steps"
    step_text_key: str = "action"
    definitions: Mapping[str, str] = field(default_factory=dict)
    """Explanations of types and subtypes, shown as tooltips."""
    text: str = ""

    @cached_property
    def hash(self) -> str:
        """The hash of the scheme's text."""
        return hash_of(self.text)

    @property
    def is_stepwise(self) -> bool:
        """Whether each step is annotated, not the whole run."""
        return self.kind in STEPWISE

    @property
    def has_score(self) -> bool:
        """Whether a score is computed from the annotations."""
        return self.kind == "trajectory_eval"

    @property
    def weighing(self) -> object:
        """All values on which a score depends; equal for schemes that compute equal scores."""
        return self.kind, self.correct_option, self.max_score, tuple(sorted(self.severities))

    def weight_of(self, severity: str) -> float:
        """Return the penalty of a severity; 0 if it is not in the scheme."""
        return next((s.weight for s in self.severities if s.name == severity), 0.0)

    def subtypes_of(self, error_type: str) -> Sequence[str]:
        """Return the subtypes of an error type; empty if the type is unknown."""
        return next((t.subtypes for t in self.error_types if t.name == error_type), ())


def hash_of(text: str) -> str:
    """Return the hash of a scheme's text: 32 hex digits."""
    return blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
