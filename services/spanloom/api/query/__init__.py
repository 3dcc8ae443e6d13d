"""Queries of lists as parameters: filters, ``where``, cursors.

Comes in: the parameters of a request. Goes out: a question for the store, and cursors.
Start with ``questions``.
"""
