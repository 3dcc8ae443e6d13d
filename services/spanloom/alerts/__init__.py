"""Alerts: watch conditions on runs and metrics, and notify channels.

In: definitions of alerts, and the change feed. Out: stored events, and requests to channels. Start
with ``watcher``, which evaluates alerts on ``runs`` and on metrics (``numbers``). ``deliverer``
sends the events to channels through ``sending``, which connects only to allowed ``addresses``.
``service`` stores alerts, which ``definition`` and ``condition`` parse.
"""
