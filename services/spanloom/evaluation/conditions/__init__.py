"""The kind ``where``: a condition in the query language, evaluated on the document alone.

``core/matching`` evaluates it; here are its configuration, what it reads of a run, and its results.
Start with ``kind.py``.
"""
