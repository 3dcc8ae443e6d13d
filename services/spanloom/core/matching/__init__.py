"""Evaluates a ``where`` on one run, without a store.

Input: a parsed ``where``, and a run as a document or a trajectory. Output: whether the run matches,
and the steps that are evidence. Fields have the values of the row that storage writes: ``row.py``
computes its columns; fields that are more than a column declare a function next to their SQL
(``Queried.value`` in ``core/records``). Start with ``compiled.py``.
"""
