"""Converts rows of other systems' datasets to items.

In: a JSON value of a file. Out: items for the API, with the names of members left out. Start at
``registry.py``, which has every format by its name.
"""
