"""The process of ``spanloom serve`` and of the single roles: wiring, supervision, servers.

In: ``Settings``. Out: a running ``Service``, whose components (each a ``Part``) start in order and
stop in reverse. Start at ``wiring.py``, then ``supervisor.py``, which defines ``Part``.
"""
