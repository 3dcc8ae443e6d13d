"""Stored evaluators of projects, in versions, which requests may refer to by name.

In: definitions for ``spanloom.evaluate``. Out: versions in the store, and definitions by name.
Start with ``service.py``.
"""
