"""Saved views of the page: creates, renames, replaces and deletes them, and sets defaults.

In: names and parameters of a page. Out: views of a project, or the faults of a view (``faults``).
Start with ``service.py``.
"""
