"""The kind ``where``: a condition in the query language, evaluated on the document alone.

``core/matching`` evaluates it; here are its configuration, the parts of a run it reads, and
results. Start with ``kind.py``.
"""
