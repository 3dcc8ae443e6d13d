"""Full-text search in ClickHouse: indexes the texts of steps, and finds hits.

Input: texts of stored steps, and words. Output: hits with their steps. Start with ``index`` for
writing and ``search`` for reading.
"""
