"""The port of datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem, ItemPlace


class DatasetStore(Protocol):
    """Stores datasets: contents of items by their hash, drafts and versions that refer to them."""

    def put(self, dataset: Dataset) -> None:
        """Store a dataset, durable on return; the latest dataset of a name counts."""

    def list(self, project: str, name: str = "") -> Sequence[Dataset]:
        """Return the datasets of a project by name, or only the named dataset.

        Deleted datasets are included until the keeper has removed their rows.
        """

    def add_contents(self, project: str, dataset: str, contents: Mapping[str, bytes]) -> None:
        """Store contents of items by their hashes; storing them again changes nothing."""

    def change_draft(self, project: str, dataset: str, items: Sequence[DraftItem]) -> None:
        """Store or remove items of the draft, whose contents are stored; durable on return."""

    def draft(self, project: str, dataset: str) -> Mapping[str, DraftItem]:
        """Return every item of the draft by key, including removed items."""

    def count_drafts(self, project: str, dataset: str = "") -> Mapping[str, int]:
        """Return the number of draft items per dataset, or of one dataset; zeros are left out."""

    def add_version(
        self,
        project: str,
        dataset: str,
        version: DatasetVersion,
        items: Sequence[ItemPlace],
    ) -> None:
        """Store a version; the store sets its time. It is durable on return.

        Of two versions with the same number the first counts; the caller reads it back to see which
        one that is. Storing the same version again changes nothing.
        """

    def versions(self, project: str, dataset: str = "") -> Mapping[str, Sequence[DatasetVersion]]:
        """Return the versions of each dataset, or of one dataset, ordered by number."""

    def items(
        self, project: str, dataset: str, version: str, after: str, limit: int
    ) -> Sequence[ItemPlace]:
        """Return items after a key, of the version with this hash; of the draft if it is empty."""

    def contents(self, project: str, dataset: str, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the contents with these hashes; missing contents are left out."""
