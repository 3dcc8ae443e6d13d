"""Run the command over a store that allows few parts while a file exists.

``crowded_store.py FILE …``: while ``FILE`` exists, no parts are merged, and an INSERT into the
spans fails at ``PARTS`` parts, with the engine's own error.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from spanloom.__main__ import main
from spanloom.process import wiring
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from spanloom.storage.store import ClickHouseStore

PARTS = 5
CROWD = (
    "SYSTEM STOP MERGES otel_traces",
    f"ALTER TABLE otel_traces MODIFY SETTING parts_to_throw_insert = {PARTS}",
)
RELIEVE = (
    "ALTER TABLE otel_traces RESET SETTING parts_to_throw_insert",
    "SYSTEM START MERGES otel_traces",
)


def arm(order: Path) -> None:
    """Limit the store when it is opened, and lift the limit when the file is removed."""

    def open_crowded(url: str) -> ClickHouseStore:
        store = open_store(url)
        for statement in CROWD:
            store.connections.worker.run(statement)
        threading.Thread(target=relieve, args=(store,), daemon=True).start()
        return store

    def relieve(store: ClickHouseStore) -> None:
        while order.exists():
            time.sleep(0.02)
        for statement in RELIEVE:
            store.connections.worker.run(statement)

    vars(wiring)["open_store"] = open_crowded


if __name__ == "__main__":
    arm(Path(sys.argv[1]))
    del sys.argv[1]
    main()
