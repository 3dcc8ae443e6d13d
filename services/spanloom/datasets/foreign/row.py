"""What the readers of rows share: the item that they make, and the parts of it."""

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
"""Digits of a key that is made of the row itself."""


class ForeignItem(NamedTuple):
    """An item of a row of another system."""

    item: Mapping[str, Any]  # JSON values, as ``POST …/items`` takes them
    left_out: tuple[str, ...] = ()
    """Members of the row that an item has no place for."""
    reason: str = ""
    """Why a part of the row, such as a case of a set, is no item; then ``item`` is empty."""


class ReadRow(Protocol):
    """Reads the rows of a format."""

    def __call__(self, value: Any) -> Items:  # as JSON has it
        """Yield the items of a row; raises ``InvalidRequestError`` with the place of a fault."""


@dataclass
class Draft:
    """An item that is being made."""

    key: str
    input: Any = None  # as JSON has it
    expected: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    splits: list[str] = field(default_factory=list)

    def item(self, left_out: Iterable[str] = ()) -> ForeignItem:
        """Return the item, without members that are empty."""
        parts = {
            "input": self.input,
            "expected": self.expected,
            "metadata": self.metadata,
            "splits": self.splits,
        }
        given = {name: part for name, part in parts.items() if part not in (None, {}, [])}
        return ForeignItem({"item_key": self.key, **given}, tuple(left_out))


def each_alone(parts: Iterable[PartT], read: Callable[[PartT], Iterable[ForeignItem]]) -> Items:
    """Yield the items of each part of a row; a part that is refused keeps no other away."""
    for part in parts:
        try:
            yield from list(read(part))
        except InvalidRequestError as error:
            yield ForeignItem({}, reason=str(error))


def key_of(row: Json, *names: str) -> str:
    """Return the first of these members that is a text or a number, as the key of an item.

    A row that has none gets a key of its contents, so that it is the same item again.
    """
    for name in names:
        own = row.get(name)
        if isinstance(own, int) and not isinstance(own, bool):
            return str(own)
        if isinstance(own, str) and own:
            return shortened(own)
    return sha256(dump(sorted_keys(row))).hexdigest()[:KEY_DIGITS]


def shortened(key: str) -> str:
    """Return a key as it is, or of one that is too long, its hash."""
    if len(key) <= MAX_KEY:
        return key
    return sha256(key.encode(errors="replace")).hexdigest()[:KEY_DIGITS]


def is_given(value: object) -> bool:
    """Return whether a member says something: tables have empty cells."""
    return value is not None and value not in ("", [], {})


def others(row: Json, known: Iterable[str]) -> dict[str, Any]:  # JSON values
    """Return the members that have no meaning of their own here, for the metadata."""
    left = frozenset(known)
    return {name: value for name, value in row.items() if name not in left and is_given(value)}
