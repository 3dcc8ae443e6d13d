"""The query language of readers: filters, orders, numbers, texts, and lists page by page.

In come texts such as a ``where``, an order or a line of metrics; out come typed conditions and
questions, which a store answers. Start with ``question.py`` and ``where/parser.py``.
"""
