"""The change feed, shared by all clients of one process.

In: a position and filters of each client. Out: announcements of changed trajectories after that
position, as one JSON response or as server-sent events. Start at ``feed.py`` (the poller), then
``window.py`` (the announcements in memory); the route is ``api/changes.py``.
"""
