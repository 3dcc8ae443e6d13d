"""ClickHouse itself: connections, statements, schema, and the classes of its errors.

In come names of queries and their parameters, out come rows and bytes. Start with
``connection.Connection``; ``connect`` opens one.
"""
