"""The SQL port: ClickHouse's HTTP interface over the embedded store, for reading alone."""
