"""Routes for operators: API keys, deletions, replays, snapshots, health, readiness, metrics.

In: requests from operators, most with a key of scope ``admin``. Out: a record of what was done, or
the state of the service. Start at ``service.py``.
"""
