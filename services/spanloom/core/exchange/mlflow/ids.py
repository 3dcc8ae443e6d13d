"""Reads span ids as different versions of MLflow write them: base64 of the bytes, or hex digits."""

from __future__ import annotations

import re
from base64 import b64decode

_HEX = re.compile("[0-9a-fA-F]{1,16}")
_BYTES = 8
_BASE64_CHARS = 12
"""The length of 8 bytes in base64. Hex digits are valid base64 too, but do not end in ``=``."""


def span_key(source: str) -> str:
    """Return a span id as 16 hex digits, so that parents can be found; other texts unchanged.

    ``oAAAAAAAAAQ=`` (version 3), ``a000000000000004`` (MLflow 3.5) and ``0xa000000000000004``
    (version 2) are the same id.
    """
    if len(source) == _BASE64_CHARS and source.endswith("="):
        try:
            return b64decode(source, validate=True).hex().zfill(2 * _BYTES)
        except ValueError:
            return source
    bare = source.removeprefix("0x")
    return bare.lower().zfill(2 * _BYTES) if _HEX.fullmatch(bare) else source
