"""The change feed, shared by all readers of one process.

In: a position and filters of each reader. Out: announcements of changed trajectories after that
position, as one JSON answer or as server-sent events. Start at ``changes.py`` (the route), then
``feed.py`` (the poller) and ``window.py`` (what is kept in memory).
"""
