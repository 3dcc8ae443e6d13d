"""Loads the embedded engine without unneeded modules, and returns memory to the system."""

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
"""Matches in ``/proc/self/maps`` the address ranges of the library's code and of its constants,
which are at the beginning of the file. Other read-only ranges were written at load time."""


def load_engine() -> None:
    """Import chDB without PyArrow, which it takes for its Arrow output where it is installed.

    PyArrow and NumPy take a tenth of a second and 37 MB at every start. If the program has
    loaded them itself, as a notebook does, they stay available.
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
    """Release the pages of engine code that has run: its start touches all of a 560 MB library.

    Half of it never runs again. Code and constants do not change: pages that are used again are
    mapped again from the system's cache. Only on Linux. Source: madvise(2), MADV_DONTNEED.
    """
    with suppress(OSError):
        for found in _CODE_OF_ENGINE.finditer(Path("/proc/self/maps").read_text("utf-8")):
            start, end = (int(address, 16) for address in found.groups())
            ctypes.CDLL(None).madvise(
                ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_DONTNEED
            )


def trim_heap() -> None:
    """Return freed memory to the system; only for glibc, which keeps much of it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
