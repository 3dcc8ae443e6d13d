"""Alerts: watch conditions on runs and numbers, and notify channels.

``definition`` and ``condition`` parse alerts, ``service`` stores them. ``watcher`` reads the change
feed and finds events that fire or are withdrawn (``runs``, ``numbers``); ``deliverer`` notifies the
channels through ``sending``, which connects only to allowed ``addresses``.
"""
