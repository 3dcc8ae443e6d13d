"""The change feed as a table, and the clocks by which it is complete.

In come announcements of versions, annotations and scores; out come pages after a position. Start
with ``store.ClickHouseFeed``; ``clocks`` has the order.
"""
