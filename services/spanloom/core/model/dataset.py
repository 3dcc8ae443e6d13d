"""Datasets: items with expectations of runs, in a draft and in versions that never change."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_DATASETS = 1_000
"""The most datasets of a project."""
MOST_ITEMS = 100_000
"""The most items of a draft."""
MOST_AT_ONCE = 10_000
"""The most items of one request."""
MAX_NAME = 100
"""Characters of a name."""
MAX_KEY = 255
"""Characters of the key of an item."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset as last stored."""

    project: str
    name: str
    description: str = ""
    evaluators: str = "[]"
    """JSON: a list of evaluators as ``spanloom.evaluate`` takes them."""
    at_us: int = 0
    """When it was stored, in microseconds since the epoch; the latest counts."""
    put_by: str = ""
    is_deleted: bool = False
    """Whether it was deleted: readers do not see it, and its rows are being removed."""


class DatasetVersion(NamedTuple):
    """A version: it never changes."""

    version: int
    hash: str
    """The hash of its items; equal for versions with the same items."""
    items: int
    """How many items it has."""
    at_us: int = 0
    """When it was stored, in microseconds since the epoch, by the clock of the store."""
    made_by: str = ""


class ItemPlace(NamedTuple):
    """An item of a draft or a version, without its content."""

    key: str
    hash: str
    """SHA-256 of the content in hex; empty if it was removed from the draft."""
    size: int = 0
    """Bytes of the content."""


class DraftItem(NamedTuple):
    """An item of the draft after a change."""

    key: str
    hash: str
    """Empty: the change removed it."""
    size: int
    at_us: int
    """When it was changed, in microseconds since the epoch; of one key the latest counts."""


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
