"""Stores evaluators of projects in versions; requests may refer to them by name.

In: definitions of evaluators, as for ``spanloom.evaluate``. Out: versions in the store, and
definitions by name. Start with ``service.py``.
"""
