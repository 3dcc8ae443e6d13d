"""Stores the change feed as a table; clocks determine up to which time the feed is complete.

Input: announcements of versions, annotations and scores. Output: pages after a position. Start with
``store.ClickHouseFeed``; ``clocks`` decides the order of announcements.
"""
