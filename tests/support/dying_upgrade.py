"""Run the command with some of the schema's files, to its death: ``dying_upgrade.py KNOWN LEFT …``.

It knows the first ``KNOWN`` files, as an older release does, and kills itself (SIGKILL) before it
makes one statement more than ``LEFT`` of those that the store lacks.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from spanloom.__main__ import main
from spanloom.storage.engine import migrate as migrations
from spanloom.storage.engine.statements import schema_files
from spanloom.storage.upkeep import layout, store

if TYPE_CHECKING:
    from spanloom.storage.engine.lane import Lane

ENOUGH = 1_000_000
"""More files and statements than any schema has."""


def files_before(name: str) -> int:
    """Return how many files come before the one of this name."""
    return next(number for number, file in enumerate(schema_files()) if name in file.name)


def arm(known: int, left: int) -> None:
    """Cut the files off, and count the statements."""
    files = schema_files()[:known]

    def count_down() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def migrate(lane: Lane, _: object) -> list[str]:
        return migrations.migrate(lane, count_down)

    vars(migrations)["schema_files"] = lambda: files
    setattr(layout.Layout, "go_on", lambda _: 0)  # noqa: B010  # an older release knows of none
    vars(store)["migrate"] = migrate


if __name__ == "__main__":
    arm(int(sys.argv[1]), int(sys.argv[2]))
    del sys.argv[1:3]
    main()
