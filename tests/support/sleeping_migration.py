"""Run the command as a later release that falls asleep: ``sleeping_migration.py STOP AHEAD_S …``.

It stops itself (SIGSTOP) right before the statement that writes the mark ``STOP``, when its lock
has just been renewed; there is no mark 0. Its clock is ``AHEAD_S`` seconds ahead. Sessions of the
lock end after ``SESSION_S`` seconds, and another process takes over after ``SILENCE_S``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from spanloom.__main__ import main
from spanloom.storage.engine import migrate as migrating
from spanloom.storage.engine.statements import Migration, migrations
from spanloom.storage.upkeep import lock, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.storage.engine.connection import Connection

SESSION_S = 4
SILENCE_S = 8.0
NUMBER = migrations()[-1].number + 1
MARKED = Migration(
    NUMBER,
    f"{NUMBER:04}_marked.sql",
    """-- Two statements that leave a mark each time.
CREATE TABLE IF NOT EXISTS marks (At DateTime64(3), Who UInt8) ENGINE = MergeTree ORDER BY At;

INSERT INTO marks SELECT now64(3), 1;

INSERT INTO marks SELECT now64(3), 2;
""",
)


def arm(stop: int, ahead_s: float) -> None:
    """Add the migration, shift the clock, and stop at the mark."""
    works = time.time_ns
    time.time_ns = lambda: works() + int(ahead_s * 1e9)
    time.time = lambda: time.time_ns() / 1e9
    vars(lock).update(SESSION_S=SESSION_S, SILENCE_S=SILENCE_S)
    vars(migrating)["migrations"] = lambda: (*migrations(), MARKED)

    def migrate(connection: Connection, renew: Callable[[], None], *, in_phases: bool) -> list[str]:
        works = connection.run

        def run(statement: str, **parameters: object) -> None:
            nonlocal stop
            if stop and f"SELECT now64(3), {stop}" in statement:
                stop = 0
                os.kill(os.getpid(), signal.SIGSTOP)
            works(statement, **parameters)

        vars(connection)["run"] = run
        return migrating.migrate(connection, renew, in_phases=in_phases)

    vars(store)["migrate"] = migrate


if __name__ == "__main__":
    arm(int(sys.argv[1]), float(sys.argv[2]))
    del sys.argv[1:3]
    main()
