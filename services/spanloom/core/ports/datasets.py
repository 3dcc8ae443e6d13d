"""The port of datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem, ItemPlace


class DatasetStore(Protocol):
    """Keeps datasets: contents of items by their hash, drafts and versions that refer to them."""

    def put(self, dataset: Dataset) -> None:
        """Store a dataset, durable when this returns; the latest of one name counts."""

    def list(self, project: str, name: str = "") -> Sequence[Dataset]:
        """Return the datasets of a project by name, or the one of a name.

        Deleted ones are included until the keeper has removed their rows.
        """

    def add_contents(self, project: str, dataset: str, contents: Mapping[str, bytes]) -> None:
        """Store contents of items by their hashes; the same again changes nothing."""

    def change_draft(self, project: str, dataset: str, items: Sequence[DraftItem]) -> None:
        """Store or remove items of the draft, whose contents are there; durable on return."""

    def draft(self, project: str, dataset: str) -> Mapping[str, DraftItem]:
        """Return every item of the draft by key, also those that were removed."""

    def count_drafts(self, project: str, dataset: str = "") -> Mapping[str, int]:
        """Return how many items the draft of each dataset has, or of one; zeros are left out."""

    def add_version(
        self,
        project: str,
        dataset: str,
        version: DatasetVersion,
        items: Sequence[ItemPlace],
    ) -> None:
        """Store a version; the store sets its time.

        Of two with one number the first one counts; the caller reads it back to see which it is.
        The same again changes nothing. Durable when this returns.
        """

    def versions(self, project: str, dataset: str = "") -> Mapping[str, Sequence[DatasetVersion]]:
        """Return the versions of each dataset, or of one, by their numbers."""

    def items(
        self, project: str, dataset: str, version: str, after: str, limit: int
    ) -> Sequence[ItemPlace]:
        """Return items after a key, of the version with a hash; without a hash of the draft."""

    def contents(self, project: str, dataset: str, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the contents with these hashes; missing ones are left out."""
