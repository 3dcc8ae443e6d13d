"""An evaluator: its identity, its view of a run, and a function that judges."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel

from spanloom.core.formats.json_bytes import dump, sorted_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.evaluation.contract.estimate import Estimate
    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.contract.view import Part
    from spanloom.evaluation.subject.subject import Subject

    Judge: TypeAlias = Callable[[Subject], Iterable[Result]]
    """Judges one run; an exception becomes a result of status ``error``."""
    Estimating: TypeAlias = Callable[[Subject], Estimate]


@dataclass(frozen=True, slots=True)
class Judging:
    """The function that judges runs, and its properties, created by a kind of evaluator."""

    view: AbstractSet[Part]
    judge: Judge
    scores: tuple[str, ...]
    """The names of all scores that the function gives, in order."""
    version: str = "1"
    """Incremented whenever the same configuration may give another result."""
    warn_scores: AbstractSet[str] = frozenset()
    """Members of ``scores`` that only warn: they never fail a gate."""
    model_scores: AbstractSet[str] = frozenset()
    """Members of ``scores`` that come from a model."""
    estimate: Estimating | None = None
    """Estimates the cost of judging a run; ``None`` if judging costs no money."""


ConfigT = TypeVar("ConfigT", bound=BaseModel)


class Kind(NamedTuple, Generic[ConfigT]):
    """A kind of evaluator."""

    config: type[ConfigT]
    """The pydantic model of the configuration; unknown keys are refused."""
    make: Callable[[ConfigT, Results], Judging]
    """Creates the function; raises ``InvalidEvaluatorError`` for faults that pydantic misses."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator that is ready to judge."""

    name: str
    kind: str
    config: Mapping[str, Any]  # JSON values
    """The configuration without name and kind; files named in it are replaced by their contents."""
    config_hash: str
    judging: Judging


def config_hash(kind: str, config: Mapping[str, Any]) -> str:  # JSON values
    """Return the SHA-256, in hex, of the canonical JSON of a configuration."""
    return hashlib.sha256(dump(sorted_keys({"kind": kind, "config": config}))).hexdigest()
