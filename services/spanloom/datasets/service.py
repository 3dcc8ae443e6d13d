"""Stores and changes datasets: adds items to a draft, and freezes the draft as a version."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.errors import ConflictError, NotFoundError
from spanloom.core.model.dataset import (
    MOST_DATASETS,
    MOST_ITEMS,
    Dataset,
    DatasetVersion,
    DraftItem,
    ItemPlace,
    version_hash,
)
from spanloom.datasets.items import content_row, read_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.ports.datasets import DatasetStore
    from spanloom.datasets.items import ReadItem, RefusedItem

PAGE_BYTES = 8 << 20
"""Bytes of contents that are read at once; at least one item."""
PAGE_ITEMS = 500
AGAIN_S = 30
"""Seconds within which the background task in ``keeper.py`` removes a deleted dataset."""
_MOST_TRIES = 20
"""Maximum attempts to commit, if other processes take the version number first."""


class UnknownDatasetError(NotFoundError):
    """The project has no such dataset, or it has no such version or item (404)."""


class DatasetRefusedError(ConflictError):
    """The change conflicts with the current state (409)."""


class ListedDataset(NamedTuple):
    """A dataset with its versions and the size of its draft."""

    dataset: Dataset
    draft_items: int
    versions: Sequence[DatasetVersion]


class AddedItems(NamedTuple):
    """The changes of the draft by adding items: numbers of items, and the refused items."""

    stored: int
    unchanged: int
    refused: Sequence[RefusedItem]


class ItemPage(NamedTuple):
    """Items as rows, and the key of the last item if more items follow."""

    rows: Sequence[Mapping[str, Any]]
    last: str | None


class Datasets:
    """The datasets of projects; thread-safe."""

    def __init__(self, store: DatasetStore, clock_ns: Callable[[], int] = time.time_ns) -> None:
        """Use a store; ``clock_ns`` returns ns since the epoch."""
        self._store = store
        self._clock_ns = clock_ns
        self._lock = Lock()

    def listed(self, project: str) -> Sequence[ListedDataset]:
        """Return the datasets of a project, sorted by name."""
        counts, versions = self._store.count_drafts(project), self._store.versions(project)
        return [
            ListedDataset(one, counts.get(one.name, 0), versions.get(one.name, ()))
            for one in self._store.list(project)
            if not one.is_deleted
        ]

    def get(self, project: str, name: str) -> ListedDataset:
        """Return a dataset; raises ``UnknownDatasetError``."""
        dataset = self._found(project, name)
        count = self._store.count_drafts(project, name).get(name, 0)
        return ListedDataset(dataset, count, self._versions(project, name))

    def put(
        self,
        project: str,
        name: str,
        description: str | None,
        evaluators: Sequence[Mapping[str, Any]] | None,
        put_by: str,
    ) -> ListedDataset:
        """Create or change a dataset; ``None`` leaves the stored value unchanged.

        A repeated call changes nothing. Raises ``InvalidEvaluatorError``, and
        ``DatasetRefusedError`` if the project already has ``MOST_DATASETS``.
        """
        if evaluators:
            _check(evaluators)
        with self._lock:
            current = next(iter(self._store.list(project, name)), None)
            if current is not None and current.is_deleted:
                raise DatasetRefusedError(
                    f"What {name!r} had is being removed: try again in {AGAIN_S} s."
                )
            if current is None and len(self._store.list(project)) >= MOST_DATASETS:
                raise DatasetRefusedError(f"The project has {MOST_DATASETS:,} datasets already.")
            before = current or Dataset(project, name)
            text = before.evaluators if evaluators is None else _text(evaluators)
            description_text = before.description if description is None else description
            if current is None or (description_text, text) != (
                before.description,
                before.evaluators,
            ):
                at_us = max(self._now_us(), before.at_us + 1)
                self._store.put(Dataset(project, name, description_text, text, at_us, put_by))
        return self.get(project, name)

    def delete(self, project: str, name: str, deleted_by: str) -> ListedDataset:
        """Delete a dataset with its draft and all versions, and return it.

        Raises ``UnknownDatasetError``.

        Its name can be used again once the keeper has removed its rows.
        """
        with self._lock:
            current = self.get(project, name)
            at_us = max(self._now_us(), current.dataset.at_us + 1)
            deleted = Dataset(project, name, at_us=at_us, put_by=deleted_by, is_deleted=True)
            self._store.put(deleted)
            return current

    def add(self, project: str, name: str, values: list[Any]) -> AddedItems:
        """Add items to the draft; of several items with the same key, the last one is added.

        An item that equals the item with the same key in the draft changes nothing.

        Raises ``UnknownDatasetError``, and ``DatasetRefusedError`` for more than ``MOST_ITEMS``.
        """
        self._found(project, name)
        read, refused = read_items(values)
        with self._lock:
            draft = self._store.draft(project, name)
            changed = [one for key, one in read.items() if not _is_same(draft.get(key), one)]
            self._refuse_more(draft, changed)
            self._store.add_contents(project, name, {one.hash: one.content for one in changed})
            places = {one.key: one.place for one in changed}
            self._change(project, name, draft, places)
        return AddedItems(len(changed), len(values) - len(refused) - len(changed), refused)

    def remove(self, project: str, name: str, key: str) -> None:
        """Remove an item from the draft, not from versions; raises ``UnknownDatasetError``."""
        self._found(project, name)
        with self._lock:
            draft = self._store.draft(project, name)
            if key not in draft or not draft[key].hash:
                raise UnknownDatasetError(f"The draft of {name!r} has no item {key!r}.")
            self._change(project, name, draft, {key: ItemPlace(key, "")})

    def commit(self, project: str, name: str, made_by: str) -> DatasetVersion:
        """Freeze the draft as the next version; an unchanged draft returns the last version.

        Raises ``UnknownDatasetError``, and ``DatasetRefusedError`` for a draft without items.
        """
        self._found(project, name)
        with self._lock:
            draft = self._store.draft(project, name).values()
            items = [ItemPlace(one.key, one.hash, one.size) for one in draft if one.hash]
            if not items:
                raise DatasetRefusedError(f"The draft of {name!r} has no items: add some first.")
            new = DatasetVersion(0, version_hash(items), len(items), made_by=made_by)
            for _ in range(_MOST_TRIES):
                versions = self._versions(project, name)
                if versions and versions[-1].hash == new.hash:
                    return versions[-1]
                new = new._replace(version=len(versions) + 1)
                self._store.add_version(project, name, new, items)
        raise DatasetRefusedError(f"Others make versions of {name!r} at this moment: try again.")

    def version(self, project: str, name: str, number: int | None) -> str:
        """Return the hash of a version; empty if ``number`` is ``None``, which means the draft.

        Raises ``UnknownDatasetError``.
        """
        self._found(project, name)
        if number is None:
            return ""
        for version in self._versions(project, name):
            if version.version == number:
                return version.hash
        raise UnknownDatasetError(f"The dataset {name!r} has no version {number}.")

    def page(self, project: str, name: str, version: str, after: str, limit: int) -> ItemPage:
        """Return items after a key as rows: at most ``limit`` items and ``PAGE_BYTES`` bytes."""
        found = self._store.items(project, name, version, after, limit + 1)
        places = _fitting(found[:limit])
        contents = self._store.contents(project, name, [one.hash for one in places])
        rows = [content_row(contents[one.hash], name) for one in places if one.hash in contents]
        return ItemPage(rows, places[-1].key if len(places) < len(found) else None)

    def rows(
        self, project: str, name: str, version: str, after: str
    ) -> Iterator[Mapping[str, Any]]:
        """Yield all items after a key as rows, with at most ``PAGE_BYTES`` bytes in memory."""
        last: str | None = after
        while last is not None:
            rows, last = self.page(project, name, version, last, PAGE_ITEMS)
            yield from rows

    def _found(self, project: str, name: str) -> Dataset:
        for dataset in self._store.list(project, name):
            if not dataset.is_deleted:
                return dataset
        raise UnknownDatasetError(f"There is no dataset {name!r} in this project: make it first.")

    def _versions(self, project: str, name: str) -> Sequence[DatasetVersion]:
        return self._store.versions(project, name).get(name, ())

    def _change(
        self,
        project: str,
        name: str,
        draft: Mapping[str, DraftItem],
        changes: Mapping[str, ItemPlace],
    ) -> None:
        """Store changes of draft items, each with a later time than the row that it replaces."""
        before = (draft[key].at_us for key in changes if key in draft)
        at_us = max(self._now_us(), max(before, default=0) + 1)
        if changes:
            self._store.change_draft(
                project, name, [DraftItem(*one, at_us=at_us) for one in changes.values()]
            )

    def _refuse_more(self, draft: Mapping[str, DraftItem], changed: Sequence[ReadItem]) -> None:
        keys = {key for key, one in draft.items() if one.hash} | {one.key for one in changed}
        if len(keys) > MOST_ITEMS:
            raise DatasetRefusedError(
                f"The draft would have {len(keys):,} items: {MOST_ITEMS:,} at most."
            )

    def _now_us(self) -> int:
        return self._clock_ns() // 1_000


def _is_same(draft_item: DraftItem | None, item: ReadItem) -> bool:
    return draft_item is not None and draft_item.hash == item.hash


def _fitting(places: Sequence[ItemPlace]) -> Sequence[ItemPlace]:
    """Return the first items whose contents fit into a page; at least one."""
    size = 0
    for count, place in enumerate(places):
        size += place.size
        if count and size > PAGE_BYTES:
            return places[:count]
    return places


def _check(evaluators: Sequence[Mapping[str, Any]]) -> None:
    from spanloom.evaluation.making import make_evaluators  # noqa: PLC0415  # needed only if given

    make_evaluators(list(evaluators))


def _text(evaluators: Sequence[Mapping[str, Any]]) -> str:
    return orjson.dumps(evaluators).decode()
