"""Loads the embedded engine without what Spanloom never asks it for."""

from __future__ import annotations

import sys
from importlib import import_module

_ARROW = "pyarrow"


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
