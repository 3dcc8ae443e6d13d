"""API keys, scopes, rates and quotas.

In: headers of a request, limits by project. Out: a ``Caller`` with project and scopes, or an error.
Start at ``authenticate.py`` and ``keys.py``, then ``limits.py`` and ``quotas.py``.
"""
