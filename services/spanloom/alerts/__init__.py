"""Alerts: watch conditions on runs and metrics, and notify channels.

In: alerts as mappings, and the change feed. Out: stored events that fire or are withdrawn, and
requests to channels. Start with ``watcher``, which finds events (``runs``, ``numbers``);
``deliverer`` sends them through ``sending``, which connects only to allowed ``addresses``, and
``service`` stores alerts, which ``definition`` and ``condition`` parse.
"""
