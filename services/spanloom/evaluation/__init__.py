"""Evaluates trajectories: judges a run by rules, a reference, a question or a model.

In: a document or messages, and evaluators; out: results, one for each judgement. All of it is pure
but for judges, which call a model: no server, no store. Start with ``evaluate.py``; a kind of
evaluator is one package and one line of ``kinds.py``.
"""

from __future__ import annotations

from spanloom.evaluation.contract.errors import InvalidEvaluatorError

__all__ = ["InvalidEvaluatorError"]
