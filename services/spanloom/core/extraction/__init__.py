"""Builds a trajectory from normalized spans, independently of instrumentation conventions.

Input: the span tree of a trace, the normalized spans from the dialects, and the duplicate reports
found by ``core/duplicates``. Output: a trajectory. Start with ``build.py``, then read ``steps.py``,
which makes the steps and assigns them to agents.
"""
