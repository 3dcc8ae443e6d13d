"""HTTP layers: host check, authentication, size and time limits, errors, ETags, OpenAPI.

In: every request. Out: a request that may reach its route, or a problem (RFC 9457). Start at
``gate.py`` (outermost layer), then ``doorkeeper.py`` (keys and scopes) and ``error_handlers.py``.
"""
