"""The change feed as a table, and the clocks by which it is complete.

Input: announcements of versions, annotations and scores. Output: pages after a position. Start with
``store.ClickHouseFeed``; ``clocks`` has the order.
"""
