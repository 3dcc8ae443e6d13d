"""Imports httpx without its command line program, which is not used here.

Where rich and click are installed, as with Spanloom, ``import httpx`` loads that program, both
libraries and Pygments: a third of the time to load the client (0.12 of 0.33 s of CPU). This
module has no effect if httpx is already imported.
"""

from __future__ import annotations

import sys

_PROGRAM = "httpx._main"

if "httpx" not in sys.modules:
    sys.modules[_PROGRAM] = None  # type: ignore[assignment]  # for httpx it is not installed
    try:
        import httpx
    finally:
        del sys.modules[_PROGRAM]
else:
    import httpx

__all__ = ["httpx"]
