"""Loads the embedded engine without what is not needed, and returns memory to the system."""

from __future__ import annotations

import ctypes
import re
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

_ARROW = "pyarrow"
_MADV_DONTNEED = 4
_CODE_OF_ENGINE = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) r(?:-xp \S+|--p 0+) .*/_chdb[^/]*\.so$", re.MULTILINE
)
"""In ``/proc/self/maps``: where the code of its library is, from and to, and its constants, which
are the beginning of the file. What else is only read was written when the library was loaded."""


def load_engine() -> None:
    """Import chDB without PyArrow, which it takes for its Arrow output where it is installed.

    PyArrow and NumPy take a tenth of a second and 37 MB at every start. Where the program has
    loaded them itself, as a notebook does, nothing is kept from it.
    """
    if _ARROW in sys.modules:
        import_module("chdb.state")
        return
    sys.modules[_ARROW] = None  # type: ignore[assignment]  # so importing it fails, as chDB allows
    try:
        import_module("chdb.state")
    finally:
        del sys.modules[_ARROW]


def give_back_code() -> None:
    """Unmap the engine's code that has run, as its start does all over a library of 560 MB.

    Half of it never runs again. Code and constants do not change: what is used again is mapped
    again out of the system's cache. Only Linux says where it is. Source: madvise(2), MADV_DONTNEED.
    """
    with suppress(OSError):
        for found in _CODE_OF_ENGINE.finditer(Path("/proc/self/maps").read_text("utf-8")):
            start, end = (int(address, 16) for address in found.groups())
            ctypes.CDLL(None).madvise(
                ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_DONTNEED
            )


def trim_heap() -> None:
    """Give freed memory back to the system; only glibc keeps so much that it can be told to."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
