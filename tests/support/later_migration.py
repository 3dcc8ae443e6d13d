"""Run the command as a later release, and kill it: ``later_migration.py LEFT …``.

The release has one more migration, and gets SIGKILL before it runs more than ``LEFT`` of the
statements that the store lacks.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from spanloom.__main__ import main
from spanloom.storage.engine import migrate as migrating
from spanloom.storage.engine.statements import Migration, migrations
from spanloom.storage.upkeep import store

if TYPE_CHECKING:
    from spanloom.storage.engine.connection import Connection

NUMBER = migrations()[-1].number + 1
LATER = Migration(
    NUMBER,
    f"{NUMBER:04}_later.sql",
    """-- A column, and a view that has it.
ALTER TABLE replays ADD COLUMN IF NOT EXISTS Note String COMMENT 'Why.';

CREATE OR REPLACE VIEW v_replays AS SELECT Id, Note FROM replays FINAL COMMENT 'Replays.';
""",
)
"""A migration as a later release may have it."""
ENOUGH = 1_000_000
"""More statements than any migration has."""


def arm(left: int) -> None:
    """Add the migration, and count the statements."""

    def count_down() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def migrate(connection: Connection, _: object, *, in_phases: bool) -> list[str]:
        return migrating.migrate(connection, count_down, in_phases=in_phases)

    vars(migrating)["migrations"] = lambda: (*migrations(), LATER)
    vars(store)["migrate"] = migrate


if __name__ == "__main__":
    arm(int(sys.argv[1]))
    del sys.argv[1]
    main()
