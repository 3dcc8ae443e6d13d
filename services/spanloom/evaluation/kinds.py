"""Every kind of evaluator, by name: the model of its configuration, and what makes its judge.

A new kind is one package and one line here. The packages are loaded when a kind is first used, so
that importing this stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.evaluation.contract.result import Results
    from spanloom.evaluation.evaluator import Judging

ConfigT = TypeVar("ConfigT", bound=BaseModel)


class Kind(NamedTuple, Generic[ConfigT]):
    """A kind of evaluator."""

    config: type[ConfigT]
    """Its configuration; unknown keys are refused."""
    make: Callable[[ConfigT, Results], Judging]
    """Raises ``InvalidEvaluatorError`` with the key for what the model cannot check."""


_PLACES: Mapping[str, str] = {}
"""Module and name of each kind: ``"match": "spanloom.evaluation.match.kind:MATCH"``."""


def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds, in the order of the documentation."""
    return tuple(_PLACES)


def load_kind(name: str) -> Kind[Any]:
    """Return a kind; raises ``KeyError`` for an unknown one."""
    module, _, attribute = _PLACES[name].partition(":")
    found: Kind[Any] = getattr(import_module(module), attribute)
    return found
