"""What type of content a format is."""

from __future__ import annotations

DEFAULT_FORMAT = "TabSeparated"
_JSON_LINES = "application/x-ndjson; charset=UTF-8"
_BINARY = "application/octet-stream"


def content_type(fmt: str) -> str:
    """Return the ``Content-Type`` that ClickHouse sends with a format."""
    if fmt.startswith("JSON"):
        return _JSON_LINES if "EachRow" in fmt else "application/json; charset=UTF-8"
    if fmt.startswith(("TabSeparated", "TSV")):
        return "text/tab-separated-values; charset=UTF-8"
    if fmt.startswith("CSV"):
        return "text/csv; charset=UTF-8; header=" + ("present" if "Names" in fmt else "absent")
    if fmt.startswith(("Native", "RowBinary", "Parquet", "Arrow", "ORC", "Avro", "MsgPack", "Raw")):
        return _BINARY
    return "application/xml; charset=UTF-8" if fmt == "XML" else "text/plain; charset=UTF-8"
