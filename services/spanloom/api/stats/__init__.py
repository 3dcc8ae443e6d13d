"""Aggregates over runs and steps, and the fields that they can be grouped and filtered by.

In: metrics, grouping fields and filters. Out: groups with their metrics, fields with their frequent
values. Start at ``stats.py``.
"""
