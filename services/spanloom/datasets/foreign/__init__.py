"""Rows of the datasets of other systems as items.

In: a JSON value of a file. Out: items as the API takes them, with what they have no place for.
Start at ``registry.py``, which has every format by its name.
"""
