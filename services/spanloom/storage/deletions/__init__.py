"""Deletions in ClickHouse: what was deleted, and how every read leaves it out."""
