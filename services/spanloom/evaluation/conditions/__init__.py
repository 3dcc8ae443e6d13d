"""The kind ``where``: a condition in the query language, evaluated on the document alone.

In: a condition and a run. Out: one result, with the steps that match as evidence. Start with
``kind.py``, the configuration; ``core/matching`` evaluates conditions.
"""
