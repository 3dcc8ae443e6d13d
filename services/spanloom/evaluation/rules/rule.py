"""A rule: its values, its view of a run, and the function that judges facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.rules.facts import Facts

    Check: TypeAlias = Callable[[Facts], "Verdict"]
    """Judges facts; raises ``NotApplicableError``, or ``TooLargeError`` beyond a limit."""

ValueT = TypeVar("ValueT")
MAX_EVIDENCE = 100
"""Maximum steps in the evidence of one result; the rationale has their number."""
ORDER = frozenset({Part.TYPES, Part.NAMES, Part.IDS, Part.TIMES})
"""The view of a rule that depends on which steps ran, and when."""


class NotApplicableError(Exception):
    """The rule does not apply to the run; the message gives the reason."""


class Verdict(NamedTuple):
    """The judgement of a run by a rule."""

    passed: bool
    rationale: str
    evidence: Sequence[Evidence] = ()
    metrics: Mapping[str, float | None] = {}
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Rule(Generic[ValueT]):
    """A named rule."""

    value: Any  # `type[...]` excludes unions and annotated types
    """The type of the rule's value, checked by pydantic."""
    make: Callable[[ValueT], Check]
    """Returns the check for a value; raises ``ValueError`` for an invalid value."""
    reads: AbstractSet[Part]
    """The kinds of data that the rule reads."""


def evidence_of(steps: Iterable[DocumentStep], field: str | None = None) -> Sequence[Evidence]:
    """Return the first ``MAX_EVIDENCE`` steps as evidence, each once."""
    ids = list(dict.fromkeys(step.id for step in steps))[:MAX_EVIDENCE]
    return [Evidence(step_id=id_, field=field) for id_ in ids]


def named(items: Iterable[str], most: int = 5) -> str:
    """Return names as a phrase: ``a, b and 3 more``."""
    names = list(dict.fromkeys(items))
    listed = ", ".join(name[:80] for name in names[:most])
    return f"{listed} and {len(names) - most} more" if len(names) > most else listed


def times(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 step``, ``2 steps``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
