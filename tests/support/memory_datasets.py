"""In-memory datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tests.support.memory_state import MemorySubject

from spanloom.core.model.dataset import ItemPlace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem

Kept = TypeVar("Kept")


class MemoryDatasets(MemorySubject):
    """Datasets, contents, drafts and versions by project and name."""

    def put(self, dataset: Dataset) -> None:
        """See ``DatasetStore.put``."""
        place = dataset.project, dataset.name
        with self._state.lock:
            there = self._state.datasets.get(place, dataset)
            if dataset.at_us >= there.at_us:
                self._state.datasets[place] = dataset

    def list(self, project: str, name: str = "") -> Sequence[Dataset]:
        """See ``DatasetStore.list``."""
        found = [
            one
            for (where, named), one in self._state.datasets.items()
            if where == project and name in ("", named)
        ]
        return sorted(found, key=lambda one: one.name)

    def add_contents(self, project: str, dataset: str, contents: Mapping[str, bytes]) -> None:
        """See ``DatasetStore.add_contents``."""
        self._state.dataset_contents.setdefault((project, dataset), {}).update(contents)

    def change_draft(self, project: str, dataset: str, items: Sequence[DraftItem]) -> None:
        """See ``DatasetStore.change_draft``."""
        with self._state.lock:
            there = self._state.dataset_drafts.setdefault((project, dataset), {})
            for item in items:
                if item.at_us >= there.get(item.key, item).at_us:
                    there[item.key] = item

    def draft(self, project: str, dataset: str) -> Mapping[str, DraftItem]:
        """See ``DatasetStore.draft``."""
        with self._state.lock:
            return dict(self._state.dataset_drafts.get((project, dataset), {}))

    def count_drafts(self, project: str, dataset: str = "") -> Mapping[str, int]:
        """See ``DatasetStore.count_drafts``."""
        drafts = self._named(self._state.dataset_drafts, project, dataset)
        counts = {name: sum(bool(i.hash) for i in items.values()) for name, items in drafts.items()}
        return {name: count for name, count in counts.items() if count}

    def add_version(
        self, project: str, dataset: str, version: DatasetVersion, items: Sequence[ItemPlace]
    ) -> None:
        """See ``DatasetStore.add_version``."""
        place = project, dataset
        with self._state.lock:
            self._state.dataset_items.setdefault((*place, version.hash), sorted(items))
            stored = version._replace(at_us=self._state.clock_ns() // 1_000)
            self._state.dataset_versions.setdefault(place, {}).setdefault(version.version, stored)

    def versions(self, project: str, dataset: str = "") -> Mapping[str, Sequence[DatasetVersion]]:
        """See ``DatasetStore.versions``."""
        found = self._named(self._state.dataset_versions, project, dataset)
        return {name: sorted(own.values()) for name, own in found.items()}

    def items(
        self, project: str, dataset: str, version: str, after: str, limit: int
    ) -> Sequence[ItemPlace]:
        """See ``DatasetStore.items``."""
        if version:
            found = self._state.dataset_items.get((project, dataset, version), [])
        else:
            draft = self.draft(project, dataset).values()
            found = sorted(ItemPlace(i.key, i.hash, i.size) for i in draft if i.hash)
        return [item for item in found if item.key > after][:limit]

    def contents(self, project: str, dataset: str, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """See ``DatasetStore.contents``."""
        there = self._state.dataset_contents.get((project, dataset), {})
        return {hashed: there[hashed] for hashed in hashes if hashed in there}

    def _named(
        self, of: Mapping[tuple[str, str], Kept], project: str, name: str
    ) -> dict[str, Kept]:
        with self._state.lock:
            found = of.items()
            return {n: own for (where, n), own in found if where == project and name in ("", n)}
