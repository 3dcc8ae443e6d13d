"""ClickHouse itself: connections, statements, schema, and what its errors mean."""
