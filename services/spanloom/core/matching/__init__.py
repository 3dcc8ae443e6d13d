"""Evaluates a ``where`` on one run, without a store.

Input: a parsed ``where``, and a run as a document or a trajectory. Output: whether the run matches,
and the steps that are evidence. Fields have the same values as in the row that storage writes:
``row.py`` computes the row's columns; a field that is calculated from columns declares a function
next to its SQL (``Queried.value`` in ``core/records``). Start with ``compiled.py``.
"""
