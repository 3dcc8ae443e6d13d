"""Parses queries for runs and steps: conditions, orders, statistics, full text, pages of lists.

Input: texts such as a ``where``, an order or a list of metrics. Output: typed conditions and
selections, which the store executes. Start with ``selection.py`` and ``where/parser.py``.
"""
