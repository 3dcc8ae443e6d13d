"""What changed, and how far the extractor has come, in ClickHouse: start with ``store``."""
