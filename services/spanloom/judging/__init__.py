"""Judges stored runs, one at a time, and converts the results to scores.

In: the document of a run, and evaluators. Out: results with fingerprints of the evaluators' views,
and a ``Score`` for each result. Start with ``judging.py``.
"""
