"""Reads ``eval.yaml``; faults have line, key and suggestion.

In: the text. Out: a ``Config``. Start with ``reading.py``.
"""
