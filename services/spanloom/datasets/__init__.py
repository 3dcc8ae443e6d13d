"""Datasets: items are collected in a draft, which is frozen as versions.

In: items from requests. Out: datasets in the store: the contents of items, drafts, versions. Start
with ``service.py``.
"""
