"""Gathers the facts for the checks; only reads, changes nothing.

In: ``Settings``, files, sockets and the store. Out: ``Facts``, with the reasons for missing facts.
Start at ``local.py``.
"""
