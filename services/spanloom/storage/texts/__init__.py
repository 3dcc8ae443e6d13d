"""Full-text search in ClickHouse: indexes the texts of steps, and finds hits.

In: texts of stored steps, and words. Out: hits with their step. Start with ``index`` for writing
and ``search`` for reading.
"""
