"""``SnapshotTaker`` on the embedded engine: hard links, which take little time and no space.

Input: a directory. Output: a copy of the store in it, as of one moment. ClickHouse never changes a
written file of a part, so a link preserves its content. Start with ``ClickHouseSnapshots``.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from spanloom.core.errors import NotEmbeddedError, StoreUnavailableError
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.storage.engine.connection import Connection


DEFINITIONS = ("metadata/*.sql", "store/*/*/*.sql", "store/*/*/format_version.txt")
"""The small files by which the engine finds tables and parts; it recreates the links itself."""


def snapshot_in(store: Path) -> Path:
    """Return the path of a store's snapshot, a complete store that can be copied."""
    return store / "shadow" / "backup"


class ClickHouseSnapshots:
    """Implements ``SnapshotTaker`` with the connections that write."""

    def __init__(self, writer: Connection, worker: Connection, path: Path | None) -> None:
        """Use the connections, and the directory of the store; ``None`` for a server."""
        self._writer = writer
        self._worker = worker
        self._path = path

    def take(self) -> int:
        """See ``SnapshotTaker.take``.

        Neither connection inserts during the snapshot, so the tables are as between two INSERTs or
        after a kill.
        """
        if self._path is None:
            raise NotEmbeddedError(
                "The store is a ClickHouse server: copy it with its own BACKUP DATABASE."
            )
        with self._writer.no_inserts(), self._worker.no_inserts():
            try:
                return self._hold(self._path)
            except OSError as error:
                raise StoreUnavailableError(f"No snapshot could be taken: {error}") from error

    def _hold(self, store: Path) -> int:
        snapshot = snapshot_in(store)
        if snapshot.exists():
            shutil.rmtree(snapshot)
        tables = [row.name for row in self._worker.rows("tables_with_parts")]
        for table in tables:
            self._worker.run(query("freeze_table"), table=table)
        for pattern in DEFINITIONS:
            for file in store.glob(pattern):
                copy = snapshot / file.relative_to(store)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
        return len(tables)
