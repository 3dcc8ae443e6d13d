"""Evaluates trajectories: judges a run by rules, a reference, a condition or a model.

In: a document or messages, and evaluators. Out: results, one for each judgement. No evaluator needs
a server or a store, and only judges need a network, to call a model. Start with ``evaluate.py``;
each kind of evaluator is a package that ``kinds.py`` lists.

This module exports ``evaluate``, the statistics that reports use, and sampling.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spanloom.evaluation.contract.errors import InvalidEvaluatorError

if TYPE_CHECKING:
    from spanloom.evaluation.comparison.behaviour import behaviour as behaviour
    from spanloom.evaluation.sampling import is_sampled as is_sampled
    from spanloom.evaluation.sampling import share as share
    from spanloom.evaluation.statistics.agreement import kappa as kappa
    from spanloom.evaluation.statistics.proportions import mcnemar as mcnemar
    from spanloom.evaluation.statistics.proportions import wilson as wilson
    from spanloom.evaluation.statistics.repeats import pass_at as pass_at
    from spanloom.evaluation.statistics.repeats import pass_hat as pass_hat
    from spanloom.evaluation.statistics.resampling import bootstrap_mean as bootstrap_mean
    from spanloom.evaluation.statistics.several import holm as holm

_FACE = {
    "behaviour": "comparison.behaviour",
    "bootstrap_mean": "statistics.resampling",
    "holm": "statistics.several",
    "is_sampled": "sampling",
    "kappa": "statistics.agreement",
    "mcnemar": "statistics.proportions",
    "pass_at": "statistics.repeats",
    "pass_hat": "statistics.repeats",
    "share": "sampling",
    "wilson": "statistics.proportions",
}
"""The module of each exported function, loaded on first use so that importing stays cheap."""

__all__ = [  # noqa: PLE0604  # names of _FACE
    "InvalidEvaluatorError",
    *_FACE,
]


def __getattr__(name: str) -> object:
    """Load a function on first use."""
    if name in _FACE:
        return getattr(import_module(f"{__name__}.{_FACE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
