"""Snapshots of an embedded store."""
