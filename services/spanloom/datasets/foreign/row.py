"""Code shared by all converters of dataset rows: the item under construction, and helpers."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.json_bytes import dump, sorted_keys
from spanloom.core.model.dataset import MAX_KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from spanloom.core.formats.json_bytes import Json

PartT = TypeVar("PartT")
Items: TypeAlias = "Iterator[ForeignItem]"
KEY_DIGITS = 32
"""Hex digits of a key that is a hash of the row."""


class ForeignItem(NamedTuple):
    """An item converted from a row of another system."""

    item: Mapping[str, Any]  # JSON values, as ``POST …/items`` takes them
    left_out: tuple[str, ...] = ()
    """Names of members of the row that were left out."""
    reason: str = ""
    """Why this item of the row was refused, in which case ``item`` is empty; otherwise empty."""


class ReadRow(Protocol):
    """Converts rows in one format."""

    def __call__(self, value: Any) -> Items:  # any JSON value
        """Yield the items of a row; raises ``InvalidRequestError`` that names the faulty member."""


@dataclass
class Draft:
    """An item under construction."""

    key: str
    input: Any = None  # any JSON value
    expected: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    splits: list[str] = field(default_factory=list)

    def item(self, left_out: Iterable[str] = ()) -> ForeignItem:
        """Return the item, without empty members."""
        parts = {
            "input": self.input,
            "expected": self.expected,
            "metadata": self.metadata,
            "splits": self.splits,
        }
        present = {name: part for name, part in parts.items() if part not in (None, {}, [])}
        return ForeignItem({"item_key": self.key, **present}, tuple(left_out))


def each_alone(parts: Iterable[PartT], read: Callable[[PartT], Iterable[ForeignItem]]) -> Items:
    """Yield the items that ``read`` returns for each element of a row.

    If ``read`` refuses one element, the other elements are still read.
    """
    for part in parts:
        try:
            yield from list(read(part))
        except InvalidRequestError as error:
            yield ForeignItem({}, reason=str(error))


def key_of(row: Json, *names: str) -> str:
    """Return the key of an item: the first of the named members that is a text or an integer.

    If there is none, the key is a hash of the row's contents, so that repeated imports give the
    same key.
    """
    for name in names:
        own = row.get(name)
        if isinstance(own, int) and not isinstance(own, bool):
            return str(own)
        if isinstance(own, str) and own:
            return shortened(own)
    return sha256(dump(sorted_keys(row))).hexdigest()[:KEY_DIGITS]


def shortened(key: str) -> str:
    """Return a key, or its hash if it is too long."""
    if len(key) <= MAX_KEY:
        return key
    return sha256(key.encode(errors="replace")).hexdigest()[:KEY_DIGITS]


def is_present(value: object) -> bool:
    """Return whether a member has a value; empty texts, lists and objects count as missing."""
    return value is not None and value not in ("", [], {})


def others(row: Json, used: Iterable[str]) -> dict[str, Any]:  # JSON values
    """Return the members of a row that are not ``used``, for the metadata."""
    left = frozenset(used)
    return {name: value for name, value in row.items() if name not in left and is_present(value)}
