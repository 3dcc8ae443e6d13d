"""Datasets in ClickHouse: contents by hash, and rows of drafts and versions that refer to them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem, ItemPlace
from spanloom.storage.engine.parameters import batched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.storage.engine.connection import Connection


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
        row = {
            "Project": dataset.project,
            "Name": dataset.name,
            "Description": dataset.description,
            "Evaluators": dataset.evaluators,
            "AtUnixMicro": dataset.at_us,
            "PutBy": dataset.put_by,
            "IsDeleted": dataset.is_deleted,
        }
        self._worker.insert_objects("datasets", [row])

    def list(self, project: str, name: str = "") -> Sequence[Dataset]:
        """See ``DatasetStore.list``."""
        rows = self._reader.rows("read_datasets", project=project, of_name=name)
        return [Dataset(project, *row) for row in rows]

    def add_contents(self, project: str, dataset: str, contents: Mapping[str, bytes]) -> None:
        """See ``DatasetStore.add_contents``."""
        place = {"Project": project, "Dataset": dataset}
        rows = ({**place, "Hash": h, "Content": c.decode()} for h, c in contents.items())
        self._worker.insert_objects("dataset_contents", rows)

    def change_draft(self, project: str, dataset: str, items: Sequence[DraftItem]) -> None:
        """See ``DatasetStore.change_draft``."""
        rows = [
            {
                "Project": project,
                "Dataset": dataset,
                "ItemKey": item.key,
                "Hash": item.hash,
                "Size": item.size,
                "AtUnixMicro": item.at_us,
            }
            for item in items
        ]
        self._worker.insert_objects("dataset_drafts", rows)

    def draft(self, project: str, dataset: str) -> Mapping[str, DraftItem]:
        """See ``DatasetStore.draft``."""
        rows = self._reader.rows("dataset_draft", project=project, dataset=dataset)
        return {row.ItemKey: DraftItem(*row) for row in rows}

    def count_drafts(self, project: str, dataset: str = "") -> Mapping[str, int]:
        """See ``DatasetStore.count_drafts``."""
        rows = self._reader.rows("count_drafts", project=project, dataset=dataset)
        return {row.Dataset: row.Items for row in rows}

    def add_version(
        self, project: str, dataset: str, version: DatasetVersion, items: Sequence[ItemPlace]
    ) -> None:
        """See ``DatasetStore.add_version``; the version's row is stored after its items."""
        place = {"Project": project, "Dataset": dataset}
        rows = [
            {
                **place,
                "VersionHash": version.hash,
                "ItemKey": item.key,
                "Hash": item.hash,
                "Size": item.size,
            }
            for item in items
        ]
        self._worker.insert_objects("dataset_items", rows)
        row = {
            **place,
            "Version": version.version,
            "Hash": version.hash,
            "Items": version.items,
            "MadeBy": version.made_by,
        }
        self._worker.insert_objects("dataset_versions", [row])

    def versions(self, project: str, dataset: str = "") -> Mapping[str, Sequence[DatasetVersion]]:
        """See ``DatasetStore.versions``."""
        found: defaultdict[str, list[DatasetVersion]] = defaultdict(list)
        rows = self._reader.rows("read_dataset_versions", project=project, dataset=dataset)
        for name, *row in rows:
            found[name].append(DatasetVersion(*row))
        return found

    def items(
        self, project: str, dataset: str, version: str, after: str, limit: int
    ) -> Sequence[ItemPlace]:
        """See ``DatasetStore.items``."""
        place = {"project": project, "dataset": dataset, "after": after, "limit": limit}
        if version:
            rows = self._reader.rows("version_items", version=version, **place)
        else:
            rows = self._reader.rows("draft_items", **place)
        return [ItemPlace(*row) for row in rows]

    def contents(self, project: str, dataset: str, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """See ``DatasetStore.contents``."""
        place = {"project": project, "dataset": dataset}
        return {
            row.Hash: row.Content.encode()
            for some in batched(hashes)
            for row in self._reader.rows("dataset_contents", hashes=some, **place)
        }
