"""Replays in ClickHouse: requests and progress in, the next traces out; start with ``store``."""
