"""Run the command and kill it at a point of its work: ``dying_at.py POINT COUNT …``.

It gets SIGKILL the COUNTth time it passes the point after it has printed its addresses, so no
handler and no ``finally`` runs.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from spanloom.__main__ import main
from spanloom.cli import processes as process
from spanloom.collector.spool.attempts import Attempts
from spanloom.collector.spool.group_commit import GroupCommitter
from spanloom.collector.spool.spool import Spool
from spanloom.extractor.recording import Recorder
from spanloom.storage.feed.store import ClickHouseFeed
from spanloom.storage.progress import ClickHouseProgress
from spanloom.storage.runs.store import ClickHouseTrajectories

POINTS: dict[str, tuple[type, str]] = {
    "before the commit": (GroupCommitter, "_commit"),
    "after the commit, before the answer": (Spool, "after_commit"),
    "before the INSERT": (Attempts, "_append"),
    "after the INSERT, before the delete": (Spool, "delete"),
    "before the trajectories": (ClickHouseTrajectories, "write"),
    "after the trajectories, before the list": (ClickHouseTrajectories, "_list"),
    "after the list, before the feed": (ClickHouseFeed, "announce"),
    "after the feed, before the progress": (ClickHouseProgress, "record_progress"),
    "after the progress": (Recorder, "_settle"),
}

AFTER_A_BURST: dict[str, tuple[type, str]] = {
    "while the spool shrinks": (Spool, "_drop_free_pages"),
}
"""Points that are reached only after much data was sent."""


def arm(point: str, count: int) -> None:
    """Kill this process when it enters the point for the ``count``-th time after its start."""
    kind, method = {**POINTS, **AFTER_A_BURST}[point]
    works = getattr(kind, method)
    left = count
    started = False
    announce = process.announce

    def announces(*arguments: Any) -> None:
        nonlocal started
        announce(*arguments)
        started = True

    def dies(self: object, *arguments: Any) -> Any:  # any arguments and result
        nonlocal left
        left -= started
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return works(self, *arguments)

    setattr(kind, method, dies)
    process.announce = announces  # type: ignore[assignment]  # takes the same


if __name__ == "__main__":
    arm(sys.argv[1], int(sys.argv[2]))
    del sys.argv[1:3]
    main()
