"""Where the tests keep their files: in memory, where there is room for them.

A commit of the spool or of the keys waits for the disk, hundreds of times a run. What a disk keeps
after a power loss is modelled (``power_loss.py``); a killed process loses nothing in memory either.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108
ROOM_BYTES = 4 << 30
"""Four times what the tests of a run take at one time."""
PYTEST_ROOT = "PYTEST_DEBUG_TEMPROOT"


def use_memory() -> None:
    """Make pytest put its temporary directories into memory, unless the variable names a place."""
    if PYTEST_ROOT not in os.environ and _has_room(MEMORY):
        os.environ[PYTEST_ROOT] = str(MEMORY)


def _has_room(place: Path) -> bool:
    """Return whether files may be written there, and programs run: containers forbid that."""
    if not (place.is_dir() and os.access(place, os.W_OK)):
        return False
    is_for_programs = not os.statvfs(place).f_flag & os.ST_NOEXEC
    return is_for_programs and shutil.disk_usage(place).free > ROOM_BYTES
