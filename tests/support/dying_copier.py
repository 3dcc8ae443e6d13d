"""Run the command and kill it while it copies: ``dying_copier.py POINT …``.

It gets SIGKILL, so no handler and no ``finally`` runs.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from spanloom.__main__ import main
from spanloom.process import backup
from spanloom.storage import snapshots as store

if TYPE_CHECKING:
    from types import ModuleType

BACKUP: dict[str, tuple[ModuleType, str, int]] = {
    "after the databases": (backup, "_copy_plain", 1),
    "between two files": (backup, "copy_file", 9),
    "before the manifest": (backup, "_write_manifest", 1),
    "before the name": (backup, "_measured", 1),
}
RESTORE: dict[str, tuple[ModuleType, str, int]] = {
    "between two restored files": (backup, "copy_file", 9),
    "between two names": (backup, "sync_directory", 1),
}
SERVICE: dict[str, tuple[ModuleType, str, int]] = {
    "with the store half held": (store, "query", 5),
}
POINTS = {**BACKUP, **RESTORE, **SERVICE}


def arm(point: str) -> None:
    """Kill this process when it has entered the point as often as ``POINTS`` states."""
    module, name, left = POINTS[point]
    works = getattr(module, name)

    def dies(*arguments: Any) -> Any:  # any arguments and result
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return works(*arguments)

    setattr(module, name, dies)


if __name__ == "__main__":
    arm(sys.argv[1])
    del sys.argv[1]
    main()
