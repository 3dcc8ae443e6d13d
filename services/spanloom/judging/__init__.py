"""Judges stored runs, one at a time, and converts the results to scores.

In: the document of a run, and evaluators. Out: results with fingerprints of views, and their
``Score``s. Start with ``judging.py``.
"""
