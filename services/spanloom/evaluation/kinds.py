"""Registry of the kinds of evaluators, by name.

A new kind is one package and one line here. A package is loaded when its kind is first used, so
that importing this module is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spanloom.evaluation.evaluator import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Kind", "kind_names", "load_kind"]

_PLACES: Mapping[str, str] = {
    "match": "spanloom.evaluation.match.kind:MATCH",
    "rules": "spanloom.evaluation.rules.kind:RULES_KIND",
    "judge": "spanloom.evaluation.judge.kind:JUDGE",
    "databricks": "spanloom.evaluation.databricks.kind:DATABRICKS",
    "python": "spanloom.evaluation.code.kind:PYTHON",
    "where": "spanloom.evaluation.conditions.kind:WHERE",
}
"""Module and name of each kind: ``"match": "spanloom.evaluation.match.kind:MATCH"``."""


RUNS_CODE = frozenset({"python"})
"""Kinds that run the code of a file; they must be allowed explicitly."""


def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds, in the order of the documentation."""
    return tuple(_PLACES)


def load_kind(name: str) -> Kind[Any]:
    """Return a kind; raises ``KeyError`` for an unknown name."""
    module, _, attribute = _PLACES[name].partition(":")
    found: Kind[Any] = getattr(import_module(module), attribute)
    return found
