"""Alerts: lines about runs and numbers that are watched, and told to channels.

``definition`` reads what an alert asks, ``keeping`` stores it. ``watcher`` reads what changed and
finds what fires and what is taken back (``runs``, ``numbers``); ``deliverer`` tells the channels,
through ``sending``, which connects only to ``addresses`` that are allowed.
"""
