"""Databricks' metrics, under the names of its Agent Evaluation.

In: a run, and what an item expects of it. Out: one result a metric. Start with ``kind.py``;
``metrics.py`` computes metrics, ``judged.py`` and ``rating.py`` let a model judge the others,
``summary.py`` combines ratings, within a run and over many runs.
"""
