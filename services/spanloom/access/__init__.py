"""Authenticates requests by API key, and enforces scopes, rate limits and quotas.

In: the headers of a request, and each project's limits. Out: a ``Caller`` with project and scopes,
or an error.
Start at ``authenticate.py`` and ``keys.py``, then ``limits.py`` and ``quotas.py``.
"""
