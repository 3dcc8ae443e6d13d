"""Parameters of list routes: filters, ``where``, cursors.

In: the parameters of a request, as text. Out: a query that the store understands, and positions in
lists. Start at ``questions.py``, then ``filters.py`` and ``cursors.py``.
"""
