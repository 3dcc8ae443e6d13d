"""Removes deleted datasets: first their contents, then the datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.parameters import bind
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from spanloom.storage.engine.connection import Connection

_TABLES = {
    "dataset_drafts": "Dataset",
    "dataset_items": "Dataset",
    "dataset_versions": "Dataset",
    "dataset_contents": "Dataset",
    "datasets": "Name",
}
"""The tables of datasets, with the column of the name; an interrupted removal is repeated."""


def remove_datasets(connection: Connection, before_us: int) -> int:
    """Remove datasets deleted before a time in microseconds since the epoch; return the number."""
    found = list(connection.rows("deleted_datasets", before_us=before_us))
    if found:
        for table, column in _TABLES.items():
            where = bind({"table": table, "column": column, "before_us": before_us})
            connection.run(query("remove_of_datasets"), **where)
    return len(found)
