"""Full-text search in ClickHouse: indexes the texts of steps, and finds hits.

Start with ``index`` for writing and ``search`` for reading.
"""
