"""Annotations, schemes, kept versions, scores and queues in ClickHouse: rows are only added.

In come new rows, which the change feed announces; out come the current ones, without those of
deleted traces. Start with ``store.ClickHouseAnnotations``.
"""
