"""Deletions in ClickHouse: what was deleted, and how every read leaves it out.

In come deletions, out come table filters for every query. Start with ``store`` for recording and
``hiding`` for reading.
"""
