"""The query language of readers: filters, orders, numbers, texts, and lists page by page.

Input: texts such as a ``where``, an order or a list of metrics. Output: typed conditions and
selections, which a store answers. Start with ``selection.py`` and ``where/parser.py``.
"""
