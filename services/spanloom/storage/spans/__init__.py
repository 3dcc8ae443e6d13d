"""Raw spans in ClickHouse: accepts export requests, returns spans of a trace, or OTLP.

Start with ``store.ClickHouseSpans``; ``records`` frames requests, ``rows`` decodes spans.
"""
