"""Annotations, schemes, kept versions, scores and queues in ClickHouse: rows are only added."""
