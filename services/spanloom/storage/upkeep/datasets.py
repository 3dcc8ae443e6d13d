"""The removal of deleted datasets: what they have, and then themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.parameters import bind
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from spanloom.storage.engine.lane import Lane

_TABLES = {
    "dataset_drafts": "Dataset",
    "dataset_items": "Dataset",
    "dataset_versions": "Dataset",
    "dataset_contents": "Dataset",
    "datasets": "Name",
}
"""The tables of datasets, and their columns with the name; who dies on the way begins again."""


def remove_datasets(lane: Lane, before_us: int) -> int:
    """Remove the datasets that were deleted before a time, in microseconds; return how many."""
    found = list(lane.rows("deleted_datasets", before_us=before_us))
    if found:
        for table, column in _TABLES.items():
            where = bind({"table": table, "column": column, "before_us": before_us})
            lane.run(query("remove_of_datasets"), **where)
    return len(found)
