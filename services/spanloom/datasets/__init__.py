"""Datasets: a draft that is filled, and versions that it is frozen as.

In: items as people and programs give them. Out: contents, drafts and versions in the store. Start
with ``keeping.py``.
"""
