"""The hosts of a server: which one a process uses, and its clients.

Input: a ``StoreAddress`` and an examination of hosts. Output: clients that change to another host
when theirs fails. Start at ``choice.py`` (``Hosts``), then ``roaming.py``.
"""
