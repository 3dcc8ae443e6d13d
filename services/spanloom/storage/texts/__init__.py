"""Full-text search in ClickHouse: the texts of steps in, hits out.

Start with ``index`` for writing and ``search`` for reading.
"""
