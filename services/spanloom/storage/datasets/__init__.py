"""Datasets in ClickHouse: contents by hash, and rows of drafts and versions that refer to them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem, ItemPlace
from spanloom.storage.engine.columns import STORED_AT, Columns
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.storage.engine.connection import Connection


_DATASETS = Columns(
    Dataset,
    {
        "Project": "project",
        "Name": "name",
        "Description": "description",
        "Evaluators": "evaluators",
        "AtUnixMicro": "at_us",
        "PutBy": "put_by",
        "IsDeleted": "is_deleted",
    },
)
_ITEMS = Columns(ItemPlace, {"ItemKey": "key", "Hash": "hash", "Size": "size"})
_DRAFTS = Columns(
    DraftItem, {"ItemKey": "key", "Hash": "hash", "Size": "size", "AtUnixMicro": "at_us"}
)
_VERSIONS = Columns(
    DatasetVersion,
    {
        "Version": "version",
        "Hash": "hash",
        "Items": "items",
        "AtUnixMicro": STORED_AT,
        "MadeBy": "made_by",
    },
)


class ClickHouseDatasets:
    """``DatasetStore`` in ClickHouse.

    It writes with the extractor's connection, and reads with the readers' connection.
    """

    def __init__(self, worker: Connection, reader: Connection) -> None:
        """Use the connections; the caller closes them."""
        self._worker = worker
        self._reader = reader

    def put(self, dataset: Dataset) -> None:
        """See ``DatasetStore.put``."""
        self._worker.insert_objects("datasets", [_DATASETS.row(dataset)])

    def list(self, project: str, name: str = "") -> Sequence[Dataset]:
        """See ``DatasetStore.list``."""
        rows = self._reader.rows(
            "read_datasets", columns=_DATASETS.columns, project=project, of_name=name
        )
        return list(map(_DATASETS.object, rows))

    def add_contents(self, project: str, dataset: str, contents: Mapping[str, bytes]) -> None:
        """See ``DatasetStore.add_contents``."""
        place = {"Project": project, "Dataset": dataset}
        rows = ({**place, "Hash": h, "Content": c.decode()} for h, c in contents.items())
        self._worker.insert_objects("dataset_contents", rows)

    def change_draft(self, project: str, dataset: str, items: Sequence[DraftItem]) -> None:
        """See ``DatasetStore.change_draft``."""
        place = {"Project": project, "Dataset": dataset}
        rows = ({**place, **_DRAFTS.row(item)} for item in items)
        self._worker.insert_objects("dataset_drafts", rows)

    def draft(self, project: str, dataset: str) -> Mapping[str, DraftItem]:
        """See ``DatasetStore.draft``."""
        rows = self._reader.rows(
            "dataset_draft", columns=_DRAFTS.columns, project=project, dataset=dataset
        )
        return {row.ItemKey: _DRAFTS.object(row) for row in rows}

    def count_drafts(self, project: str, dataset: str = "") -> Mapping[str, int]:
        """See ``DatasetStore.count_drafts``."""
        rows = self._reader.rows("count_drafts", project=project, dataset=dataset)
        return {row.Dataset: row.Items for row in rows}

    def add_version(
        self, project: str, dataset: str, version: DatasetVersion, items: Sequence[ItemPlace]
    ) -> None:
        """See ``DatasetStore.add_version``; the version's row is stored after its items."""
        place = {"Project": project, "Dataset": dataset}
        rows = ({**place, "VersionHash": version.hash, **_ITEMS.row(item)} for item in items)
        self._worker.insert_objects("dataset_items", rows)
        self._worker.insert_objects("dataset_versions", [{**place, **_VERSIONS.row(version)}])

    def versions(self, project: str, dataset: str = "") -> Mapping[str, Sequence[DatasetVersion]]:
        """See ``DatasetStore.versions``."""
        found: defaultdict[str, list[DatasetVersion]] = defaultdict(list)
        rows = self._reader.rows(
            "read_dataset_versions", columns=_VERSIONS.columns, project=project, dataset=dataset
        )
        for row in rows:
            found[row.Dataset].append(_VERSIONS.object(row))
        return found

    def items(
        self, project: str, dataset: str, version: str, after: str, limit: int
    ) -> Sequence[ItemPlace]:
        """See ``DatasetStore.items``."""
        page = {"project": project, "dataset": dataset, "after": after, "limit": limit}
        selected = {"columns": _ITEMS.columns, **page}
        if version:
            rows = self._reader.rows("version_items", version=version, **selected)
        else:
            rows = self._reader.rows("draft_items", **selected)
        return list(map(_ITEMS.object, rows))

    def contents(self, project: str, dataset: str, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """See ``DatasetStore.contents``."""
        place = {"project": project, "dataset": dataset}
        return {
            row.Hash: row.Content.encode()
            for some in batched(hashes)
            for row in self._reader.rows("dataset_contents", hashes=some, **place)
        }
