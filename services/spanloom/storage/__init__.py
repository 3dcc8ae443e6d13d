"""The store on ClickHouse, embedded or server: implements ``core/ports``, one package per subject.

Input: requests, records and queries, each through its port. Output: spans, rows and documents.
Start with ``store.py``, which lists the subjects; ``engine`` has their connections.
"""
