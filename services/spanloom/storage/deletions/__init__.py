"""Deletions in ClickHouse: recording them, and hiding deleted rows from every read.

Input: deletions. Output: table filters for every query. Start with ``store`` for recording and
``hiding`` for reading.
"""
