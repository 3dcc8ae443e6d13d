"""Evaluators that projects store, in versions, so that others name them in place of writing them.

In: mappings as ``spanloom.evaluate`` takes them. Out: versions in the store, and lists of mappings
for names. Start with ``keeping.py``.
"""
