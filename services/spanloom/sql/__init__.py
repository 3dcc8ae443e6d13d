"""The SQL port: ClickHouse's HTTP interface over the embedded store, read-only.

In: a statement over HTTP with an API key. Out: the engine's response, limited to the rows of the
key's project. Start at ``door.py`` (HTTP), then ``reader.py`` and ``fences.py`` (row filters).
"""
