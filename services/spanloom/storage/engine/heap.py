"""The heap that this process shares with the C library."""

from __future__ import annotations

import ctypes


def trim_heap() -> None:
    """Give freed memory back to the system; only glibc keeps so much that it can be told to."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
