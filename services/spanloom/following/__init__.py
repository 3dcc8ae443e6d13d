"""Follows the change feed inside the service, from a stored position.

In: the feed, and the position of a follower. Out: new announcements, page by page.
Start at ``follower.py``; ``sharing.py`` decides which process follows the feed.
"""
