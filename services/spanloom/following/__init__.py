"""Follows the change feed inside the service, from a place that outlasts restarts.

In: the feed, and where a follower was. Out: its new announcements, page by page.
Start at ``follower.py``; ``sharing.py`` says which process does the work.
"""
