"""Checks items of datasets, and writes their canonical JSON, which is hashed."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from spanloom.core.model.dataset import MAX_KEY, ItemPlace, content_hash

_MOST_SPLITS = 100


class Source(BaseModel):
    """The run that an item was created from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    trace_id: Annotated[str, Field(pattern="^[0-9a-fA-F]{32}$")] | None = None
    project: Annotated[str, Field(max_length=512)] | None = None
    version: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    step_id: Annotated[str, Field(max_length=64)] | None = None


class ItemInput(BaseModel):
    """An item in a request; unknown members are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    item_key: Annotated[str, Field(min_length=1, max_length=MAX_KEY)]
    set: Annotated[str | None, Field(description="Read, and not kept.")] = None
    input: JsonValue = None
    expected: dict[str, JsonValue] | None = None
    splits: Annotated[
        list[Annotated[str, Field(max_length=MAX_KEY)]], Field(max_length=_MOST_SPLITS)
    ] = []
    metadata: dict[str, JsonValue] | None = None
    source: Source | None = None


class ReadItem(NamedTuple):
    """An item in stored form: canonical JSON and its hash."""

    key: str
    content: bytes
    hash: str

    @property
    def place(self) -> ItemPlace:
        """The item's key, hash and size, by which drafts and versions refer to the item."""
        return ItemPlace(self.key, self.hash, len(self.content))


class RefusedItem(NamedTuple):
    """An item of a request that was refused, and why."""

    item: int
    """The index of the item in the request, from 0."""
    item_key: str
    """The key of the item; empty if it has none."""
    reason: str


def read_items(values: list[Any]) -> tuple[dict[str, ReadItem], list[RefusedItem]]:
    """Return the valid items of a request keyed by item key, and the refused items.

    Of several valid items with the same key, the last is returned.
    """
    found: dict[str, ReadItem] = {}
    refused = []
    for at, value in enumerate(values):
        try:
            item = _read(value)
        except (ValueError, TypeError, RecursionError) as error:
            key = value.get("item_key") if isinstance(value, dict) else ""
            refused.append(RefusedItem(at, key if isinstance(key, str) else "", _reason(error)))
        else:
            found[item.key] = item
    return found, refused


def _read(value: object) -> ReadItem:
    item = ItemInput.model_validate(value)
    members = item.model_dump(mode="json", exclude={"set"}, exclude_none=False)
    content = orjson.dumps(members, option=orjson.OPT_SORT_KEYS)
    return ReadItem(item.item_key, content, content_hash(content))


def _reason(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    reason = first["msg"].removeprefix("Value error, ")
    return f"{place}: {reason}" if place else reason


def content_row(content: bytes, dataset: str) -> dict[str, Any]:
    """Return a stored item as a row of a dataset."""
    row: dict[str, Any] = orjson.loads(content)
    return {"item_key": row.pop("item_key"), "set": dataset, **row}
