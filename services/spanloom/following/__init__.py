"""Follows the change feed inside the service, from a stored position.

Input: the feed, and the position of a follower. Output: new announcements, page by page.
Start at ``follower.py``; ``sharing.py`` decides which process follows the feed.
"""
