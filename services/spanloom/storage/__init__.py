"""The store on ClickHouse, embedded or server: implements ``core/ports``, one package per subject.

In come requests, records and queries, each by its port; out come spans, rows and documents.
Start with ``store.py``, which lists the subjects; ``engine`` has their connections.
"""
