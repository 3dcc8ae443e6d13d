"""ClickHouse itself: connections, statements, schema, and the classes of its errors.

Input: names of queries and their parameters. Output: rows and bytes. Start with
``connection.Connection``; ``connect`` opens one.
"""
