"""Stores annotations, schemes, annotated versions, scores and queues; rows are only added.

Input: new rows, which the change feed announces. Output: the current rows, except rows of deleted
traces. Start with ``store.ClickHouseAnnotations``.
"""
