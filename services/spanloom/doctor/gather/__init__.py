"""Gathering of facts for the checks; reads only, changes nothing.

In: ``Settings``, files, sockets and the store. Out: ``Facts``, with reasons for the missing ones.
Start at ``local.py``.
"""
