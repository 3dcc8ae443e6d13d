"""Saved views: creates, renames, replaces and deletes them, and sets the default for each page.

In: a view's name, page and parameters. Out: views of a project, or a view's faults (``faults``).
Start with ``service.py``.
"""
