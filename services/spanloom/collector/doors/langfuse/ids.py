"""Langfuse's ids as OTLP's: the one rule by which a text becomes 16 or 8 bytes.

An id that is one of OTLP's stays, a UUID names a trace without its dashes, and any other text
becomes the first bytes of its SHA-256, as Langfuse's SDKs make ids of seeds:
``6f21eed0-ac8e-4c57-bcc2-09241f3a0c09`` is the trace ``6f21eed0ac8e4c57bcc209241f3a0c09``.
"""

from __future__ import annotations

import hashlib
import re

_HEX_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_HEX_SPAN_ID = re.compile(r"[0-9a-f]{16}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def trace_id_of(text: str) -> bytes:
    """Return the OTLP trace id, 16 bytes, of a Langfuse trace id."""
    lower = text.lower()
    if _HEX_TRACE_ID.fullmatch(lower) or _UUID.fullmatch(lower):
        return bytes.fromhex(lower.replace("-", ""))
    return hashlib.sha256(text.encode()).digest()[:16]


def span_id_of(text: str) -> bytes:
    """Return the OTLP span id, 8 bytes, of a Langfuse observation id."""
    lower = text.lower()
    if _HEX_SPAN_ID.fullmatch(lower):
        return bytes.fromhex(lower)
    return hashlib.sha256(text.encode()).digest()[:8]
