"""Recipes of ``spanloom instrument``: how to make agents of each framework send spans.

In: a framework and a way; one TOML file each, run by the tests. Out: a ``Recipe`` with packages,
code and variables. Start at ``reading.py``.
"""
