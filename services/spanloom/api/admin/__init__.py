"""Keys, deletions, replays, snapshots, and the state of the service.

Comes in: a request of an operator. Goes out: a record of what was done. Start with
``service``.
"""
