"""The two encodings of OTLP."""

from __future__ import annotations

from enum import StrEnum


class Encoding(StrEnum):
    """How a request and its response are written; the value is the media type."""

    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"
