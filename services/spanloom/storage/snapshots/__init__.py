"""Snapshots of an embedded store, as hard links: start with ``store.ClickHouseSnapshots``."""
