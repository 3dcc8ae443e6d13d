"""Routes for operators: API keys, deletions, replays, snapshots, health, readiness, metrics.

In: a request of an operator, most with a key of scope ``admin``. Out: the record of what was done,
or the state of the service. Start at ``service.py``.
"""
