"""Whether one run meets a ``where``, without a store.

In: a parsed ``where`` and a run, as its document or as the trajectory that becomes a row. Out: yes
or no, and the steps that show it. The values of fields are those of the row that storage writes:
``row.py`` computes its columns, and a field that is more than a column has its value in Python
beside its SQL (``Asked.value`` in ``core/records``). Start with ``compiled.py``.
"""
