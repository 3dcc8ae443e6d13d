"""Raw spans in ClickHouse: written as requests, read back as spans or OTLP."""
