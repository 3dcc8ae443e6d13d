"""Raw spans in ClickHouse: export requests in, spans of a trace or OTLP out.

Start with ``store.ClickHouseSpans``; ``records`` frames requests, ``rows`` decodes spans.
"""
