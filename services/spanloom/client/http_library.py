"""httpx without its program for the command line, which nobody asks for here.

Where rich and click are installed, as they are with us, ``import httpx`` loads that program and
with it both and Pygments: a third of what it takes to load the client (0.12 of 0.33 s of CPU).
Whoever has loaded httpx before has all of it.
"""

from __future__ import annotations

import sys

_PROGRAM = "httpx._main"

if "httpx" not in sys.modules:
    sys.modules[_PROGRAM] = None  # type: ignore[assignment]  # httpx takes it as not installed
    try:
        import httpx
    finally:
        del sys.modules[_PROGRAM]
else:
    import httpx

__all__ = ["httpx"]
