"""The SQL endpoint: a read-only version of ClickHouse's HTTP interface for the embedded store.

Input: a statement in an HTTP request with an API key. Output: the engine's response, from the rows
of the key's project only. Start at ``door.py`` (HTTP), then ``reader.py`` and
``fences.py`` (row filters).
"""
