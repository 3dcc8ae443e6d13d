"""The folder of the tests' files: in memory, if there is enough space.

A commit of the spool or of the keys waits for the disk, hundreds of times per run. The effects of a
power loss are modelled (``power_loss.py``), and a killed process loses no data in memory.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108
ROOM_BYTES = 4 << 30
"""Four times the space that a test run needs at one time."""
PYTEST_ROOT = "PYTEST_DEBUG_TEMPROOT"


def use_memory() -> None:
    """Make pytest put its temporary directories into memory, unless the variable names a folder."""
    if PYTEST_ROOT not in os.environ and _has_room(MEMORY):
        os.environ[PYTEST_ROOT] = str(MEMORY)


def _has_room(place: Path) -> bool:
    """Return whether files can be written and programs run there, which containers may forbid."""
    if not (place.is_dir() and os.access(place, os.W_OK)):
        return False
    is_for_programs = not os.statvfs(place).f_flag & os.ST_NOEXEC
    return is_for_programs and shutil.disk_usage(place).free > ROOM_BYTES
