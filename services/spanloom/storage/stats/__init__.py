"""Statistics over runs and their steps, computed by ClickHouse: ``Numbers`` in, groups out."""
