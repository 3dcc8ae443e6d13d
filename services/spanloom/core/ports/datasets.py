"""The port for storing datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem, ItemPlace


class DatasetStore(Protocol):
    """Stores datasets: items' contents, keyed by hash; drafts and versions, which refer to them."""

    def put(self, dataset: Dataset) -> None:
        """Store a dataset, durable on return; of several with the same name the latest counts."""

    def list(self, project: str, name: str = "") -> Sequence[Dataset]:
        """Return the datasets of a project, ordered by name, or only the dataset ``name``.

        Deleted datasets are included until the keeper has removed their rows.
        """

    def add_contents(self, project: str, dataset: str, contents: Mapping[str, bytes]) -> None:
        """Store the contents of items, given by hash; storing them again changes nothing."""

    def change_draft(self, project: str, dataset: str, items: Sequence[DraftItem]) -> None:
        """Add items, whose contents are stored, to the draft, or remove them; durable on return."""

    def draft(self, project: str, dataset: str) -> Mapping[str, DraftItem]:
        """Return every item of the draft, keyed by key, including removed items."""

    def count_drafts(self, project: str, dataset: str = "") -> Mapping[str, int]:
        """Return the number of draft items per dataset, for all datasets or one; without zeros."""

    def add_version(
        self,
        project: str,
        dataset: str,
        version: DatasetVersion,
        items: Sequence[ItemPlace],
    ) -> None:
        """Store a version; the store sets its time. It is durable on return.

        Of two versions with the same number the first counts; the caller must read the version to
        learn which of them was stored. Storing the same version again changes nothing.
        """

    def versions(self, project: str, dataset: str = "") -> Mapping[str, Sequence[DatasetVersion]]:
        """Return the versions of each dataset, or of one dataset, ordered by number."""

    def items(
        self, project: str, dataset: str, version: str, after: str, limit: int
    ) -> Sequence[ItemPlace]:
        """Return items after a key from the version with the hash ``version``, or from the draft.

        An empty ``version`` means the draft.
        """

    def contents(self, project: str, dataset: str, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the contents with these hashes; missing contents are left out."""
