"""Runs for an evaluation, from files or a service, and its results as scores for a service.

In: paths, or a client. Out: ``Given`` runs one after the other, rows of scores. Start with
``given.py``.
"""
