"""Full text in ClickHouse: what steps said, put into the index and found."""
