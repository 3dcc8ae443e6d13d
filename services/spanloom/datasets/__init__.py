"""Datasets: items are collected in a draft, which is frozen as versions.

In: items from people and programs. Out: contents, drafts and versions in the store. Start with
``service.py``.
"""
