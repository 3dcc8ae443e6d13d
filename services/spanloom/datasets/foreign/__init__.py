"""Converts rows of other systems' datasets to items.

In: a JSON value from a file. Out: items for the API, and the names of members that were left out.
Start at ``registry.py``, which lists the formats by name.
"""
