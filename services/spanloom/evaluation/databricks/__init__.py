"""Databricks' metrics, under the names of its Agent Evaluation.

In: a run, and the expected values of an item. Out: one result for each metric. Start with
``kind.py``; ``metrics.py`` computes metrics without a model, ``judged.py`` and ``rating.py`` let a
model judge the other metrics, ``summary.py`` combines the ratings of a run.
"""
