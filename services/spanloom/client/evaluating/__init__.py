"""Reads runs to evaluate from files or a service, and converts the results to scores to send.

In: paths, or a client. Out: runs (``Given``) one after the other, rows of scores. Start with
``given.py``.
"""
