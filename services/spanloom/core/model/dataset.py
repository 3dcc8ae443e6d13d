"""Datasets: items (inputs with expected values), in a draft and in versions that never change."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_DATASETS = 1_000
"""Maximum number of datasets in a project."""
MOST_ITEMS = 100_000
"""Maximum number of items in a draft."""
MOST_AT_ONCE = 10_000
"""Maximum number of items in a request."""
MAX_KEY = 255
"""Maximum characters of an item's key."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset as last stored."""

    project: str
    name: str
    description: str = ""
    evaluators: str = "[]"
    """JSON: a list of evaluators in the form that ``spanloom.evaluate`` accepts."""
    at_us: int = 0
    """The time at which the row was stored, in microseconds since the epoch; the latest row
    counts."""
    put_by: str = ""
    is_deleted: bool = False
    """Whether the dataset was deleted; it is hidden, and its rows are being removed."""


class DatasetVersion(NamedTuple):
    """A version of a dataset, which never changes."""

    version: int
    hash: str
    """The hash of the items; equal for versions with the same items."""
    items: int
    """Number of items."""
    at_us: int = 0
    """The time of storage in microseconds since the epoch, by the clock of the store."""
    made_by: str = ""


class ItemPlace(NamedTuple):
    """An item of a draft or a version, without its content."""

    key: str
    hash: str
    """SHA-256 of the content in hex; empty if the item was removed from the draft."""
    size: int = 0
    """Size of the content in bytes."""


class DraftItem(NamedTuple):
    """An item of the draft after a change."""

    key: str
    hash: str
    """SHA-256 of the content in hex; empty if the change removed the item."""
    size: int
    at_us: int
    """The time of the change in microseconds since the epoch; the latest change of a key counts."""


def content_hash(content: bytes) -> str:
    """Return the hash of an item's content."""
    return sha256(content).hexdigest()


def version_hash(items: Iterable[ItemPlace]) -> str:
    """Return the hash of a version with these items, whose order does not matter."""
    digest = sha256()
    for key, hashed, _ in sorted(items):
        digest.update(key.encode())
        digest.update(b"\0")
        digest.update(hashed.encode())
        digest.update(b"\n")
    return digest.hexdigest()
