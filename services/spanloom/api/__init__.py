"""The HTTP API on port 8080: a room for each subject, over what they share.

Comes in: requests of clients, the shell and the page (``http``, ``query``). Goes out: stored
documents, rows in any form (``rows``), the change feed (``feed``). Start with ``app``.
"""
