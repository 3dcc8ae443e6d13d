"""Runs the process of ``spanloom serve``, or of a single role: wiring, supervision, servers.

Input: ``Settings``. Output: a running ``Service``, whose components (each a ``Part``) start in
order and stop in reverse. Start at ``wiring.py``, then ``supervisor.py``, which defines ``Part``.
"""
