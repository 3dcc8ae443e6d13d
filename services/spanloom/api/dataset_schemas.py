"""Request and response models for datasets, and examples of responses."""

from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from spanloom.api.pages import DEFAULT_LIMIT, cursor_field, limit_field
from spanloom.api.query import decode_position, demand, encode_cursor, fingerprint
from spanloom.api.responses import answer, or_rows
from spanloom.core.model.dataset import MOST_AT_ONCE
from spanloom.core.records.dataset import (
    DATASET as DATASET_RECORD,
)
from spanloom.core.records.dataset import (
    DATASET_ROW,
    DatasetItem,
    DatasetRow,
    DatasetVersionItem,
)
from spanloom.core.records.record import example_of
from spanloom.datasets.service import AddedItems, ListedDataset

MOST_NAMED = 100
"""Maximum refused items that a response lists."""
_MOST_EVALUATORS = 100


class DatasetRequest(BaseModel):
    """A definition of a dataset."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Annotated[
        str | None,
        Field(description="What it is for.", max_length=10_000, examples=["Trips to book"]),
    ] = None
    evaluators: Annotated[
        list[dict[str, JsonValue]] | None,
        Field(
            description="Its evaluators, in the form of `spanloom.evaluate`.",
            max_length=_MOST_EVALUATORS,
            examples=[[{"name": "path", "kind": "match", "mode": "in_order"}]],
        ),
    ] = None


class ItemsRequest(BaseModel):
    """Items for a draft."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    items: Annotated[
        list[Any],
        Field(
            description="Each with an `item_key`; if a key is repeated, the last item counts.",
            min_length=1,
            max_length=MOST_AT_ONCE,
            examples=[[{"item_key": "first", "input": "Oslo?", "expected": {"response": "Oslo"}}]],
        ),
    ]


class RefusedRow(BaseModel):
    """An item that was refused."""

    item: Annotated[int, Field(description="Its index in the request, from 0.")]
    item_key: Annotated[str, Field(description="Empty if it has none.")]
    reason: str


class TakenRows(BaseModel):
    """The result of adding items."""

    stored: Annotated[int, Field(description="New items, and items that replaced another.")]
    unchanged: Annotated[int, Field(description="Items that the draft already had.")]
    rejected: Annotated[int, Field(description="Number of refused items.")]
    refused: Annotated[
        list[RefusedRow], Field(description=f"Why, of the first {MOST_NAMED} of them.")
    ]

    @classmethod
    def of(cls, added: AddedItems) -> Self:
        """Return the result of adding items as a response model."""
        named = [RefusedRow(**one._asdict()) for one in added.refused[:MOST_NAMED]]
        return cls(
            stored=added.stored,
            unchanged=added.unchanged,
            rejected=len(added.refused),
            refused=named,
        )


class RowsQuery(BaseModel):
    """Which items to list."""

    model_config = ConfigDict(extra="ignore", frozen=True)  # `project` is a separate parameter

    version: Annotated[
        int | None,
        Field(
            description="Items of this version; without it, of the draft.",
            ge=1,
            lt=2**32,
            examples=[1],
        ),
    ] = None
    limit: Annotated[int, limit_field()] = DEFAULT_LIMIT
    cursor: Annotated[str | None, cursor_field(encode_cursor(["first"]))] = None

    def after(self, name: str) -> str:
        """Return the key after which the page starts; raises ``InvalidQueryError``."""
        if not self.cursor:
            return ""
        return decode_position(self.cursor, fingerprint(self, name), _key)

    def cursor_after(self, name: str, key: str) -> str:
        """Return the cursor that starts after a key."""
        return encode_cursor([key], fingerprint(self, name))


def _key(key: object) -> str:
    demand(isinstance(key, str))
    return str(key)


class DatasetRowList(BaseModel):
    """Items of a dataset, by key."""

    items: list[DatasetRow]
    next_cursor: Annotated[str | None, Field(description="Null on the last page.")] = None


def item_of(listed: ListedDataset) -> DatasetItem:
    """Return a dataset as a response model."""
    return DatasetItem.made_of(
        listed.dataset,
        evaluators=orjson.loads(listed.dataset.evaluators),
        draft_items=listed.draft_items,
        versions=list(map(DatasetVersionItem.made_of, listed.versions)),
    )


DATASET = answer("The dataset.", "DatasetItem", DATASET_RECORD.example)
DATASETS = answer("The datasets.", "DatasetList", {"items": [DATASET_RECORD.example]})
COMMITTED = answer("The version.", "DatasetVersionItem", example_of(DatasetVersionItem))
TAKEN = answer(
    "The result.",
    "TakenRows",
    {
        "stored": 1,
        "unchanged": 0,
        "rejected": 1,
        "refused": [{"item": 1, "item_key": "", "reason": "item_key: Field required"}],
    },
)
ROWS = or_rows(
    answer(
        "A page of items; or all of them as lines, or as a table.",
        "DatasetRowList",
        {"items": [DATASET_ROW.example], "next_cursor": None},
    )
)
