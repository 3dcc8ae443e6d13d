"""ClickHouse, embedded or server: implements the ports of ``core/ports``, a room for each subject.

In come requests, records and queries of consumers, each by its port; out come rows and documents.
Start with ``store.py``, which lists the subjects; ``engine`` has the connections below them.
"""
