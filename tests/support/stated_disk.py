"""Run the command with the free disk space stated in a file: ``stated_disk.py FILE …``.

Without the file the real free space is used. Everything else is the real command.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from spanloom.__main__ import main
from spanloom.collector.spool.free_space import FreeSpace


def arm(stated: Path) -> None:
    """Replace the free space of the disk by the number in the file."""

    def ask(path: Path) -> tuple[int, int, int]:
        room = shutil.disk_usage(path)
        return (room.total, room.used, int(stated.read_text()) if stated.exists() else room.free)

    defaults = FreeSpace.__init__.__kwdefaults__
    assert defaults is not None
    defaults["ask"] = ask


if __name__ == "__main__":
    arm(Path(sys.argv[1]))
    del sys.argv[1]
    main()
