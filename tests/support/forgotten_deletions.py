"""Forgets the deletions of a store, so that its queries cost as little as without deletions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.deletions.hiding import DeletedRows

if TYPE_CHECKING:
    from spanloom.storage.store import ClickHouseStore

TABLES = ("deleted_traces", "deletions")


def forget_deletions(store: ClickHouseStore) -> None:
    """Remove the record of all deletions from an embedded store.

    Hidden rows become visible again.
    """
    connection = store.connections.worker
    hiding = connection.hiding
    if not hiding.may_hide:
        return
    assert isinstance(hiding, DeletedRows)
    for table in TABLES:
        connection.run(f"TRUNCATE TABLE {table}")
    hiding._has_deletions = False
