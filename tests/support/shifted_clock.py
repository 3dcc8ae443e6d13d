"""Run the command with a wrong wall clock: ``shifted_clock.py FILE …``.

``FILE`` contains the nanoseconds that it is ahead; it is read on every clock access.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path


def arm(file: Path) -> None:
    """Shift the clock, before any module has imported it."""
    works = time.time_ns
    time.time_ns = lambda: works() + int(file.read_text())


if __name__ == "__main__":
    arm(Path(sys.argv[1]))
    del sys.argv[1]

    from spanloom.__main__ import main

    main()
