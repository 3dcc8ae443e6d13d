"""Evaluates a ``where`` on one run, without a store.

In: a parsed ``where``, and a run as its document or its trajectory. Out: whether the run matches,
and the steps that show it. Fields have the values of the row that storage writes: ``row.py``
computes its columns, and fields that are more than a column declare a function next to their SQL
(``Queried.value`` in ``core/records``). Start with ``compiled.py``.
"""
