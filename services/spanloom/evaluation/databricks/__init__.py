"""Databricks' metrics, under the names of its Agent Evaluation.

In: a run, and what an item expects of it. Out: one result a metric. Start with ``kind.py``;
``metrics.py`` computes metrics, ``judged.py`` and ``rating.py`` have a model judge them,
``summary.py`` puts ratings and those of many runs together.
"""
