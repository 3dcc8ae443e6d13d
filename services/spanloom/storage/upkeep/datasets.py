"""Removes deleted datasets: first their contents, then the datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.parameters import bind
from spanloom.storage.engine.statements import query
from spanloom.storage.tables import TABLES

if TYPE_CHECKING:
    from spanloom.storage.engine.connection import Connection

OF_DATASETS = {table.name: table.dataset for table in TABLES if table.dataset}
"""The tables of datasets, with the column of the name."""


def remove_datasets(connection: Connection, before_us: int) -> int:
    """Remove datasets deleted before a time in microseconds since the epoch; return the number.

    An interrupted removal is repeated, because the table ``datasets`` comes last.
    """
    found = list(connection.rows("deleted_datasets", before_us=before_us))
    if found:
        for table, column in OF_DATASETS.items():
            where = {"table": table, "column": column, "before_us": before_us}
            connection.run(query("remove_of_datasets"), **bind(where))
    return len(found)
