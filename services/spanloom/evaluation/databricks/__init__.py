"""Databricks' metrics, under the names of its Agent Evaluation: those that need no judge.

In: a run, and the ``retrieved_context`` that an item expects. Out: one result a metric. Start with
``kind.py``; ``metrics.py`` computes them, ``summary.py`` puts those of many runs together.
"""
