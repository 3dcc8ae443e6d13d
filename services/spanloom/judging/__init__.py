"""Judges stored runs, one at a time, and makes scores of the results.

In: the document of a run and evaluators that are made. Out: results with the fingerprint of what
was read, and ``Score``s of them. Start with ``judging.py``.
"""
