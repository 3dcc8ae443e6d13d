"""Databricks' metrics, under the names of its Agent Evaluation.

In: a run, and the expected values of an item. Out: one result for each metric. Start with
``kind.py``; ``metrics.py`` computes metrics, ``judged.py`` and ``rating.py`` let a model judge
others, ``summary.py`` combines ratings, within a run and over many runs.
"""
