"""HTTP itself: checks before a route, bounds, errors, conditional answers, the description.

Comes in: every request. Goes out: a request that may reach its route, or a problem (RFC 9457).
Start with ``gate``.
"""
