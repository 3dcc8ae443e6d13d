"""Reads ``eval.yaml``, and reports its faults with line, key and suggestion.

In: the text. Out: a ``Config``. Start with ``reading.py``.
"""
