"""API keys: a SQLite file next to the embedded store, or a table on a server.

In come keys and their uses, out come all keys. Start with ``open.open_key_store``.
"""
