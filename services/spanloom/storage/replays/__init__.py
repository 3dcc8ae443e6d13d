"""Replays in ClickHouse."""
