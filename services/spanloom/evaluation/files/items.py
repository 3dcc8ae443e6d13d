"""Items of a dataset: the expected answer, and the run that an item belongs to."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.readers import an_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_KEY = 255


class Source(BaseModel):
    """The run that an item was created from."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    trace_id: str | None = None
    project: str | None = None


class Item(BaseModel):
    """A row of a dataset, with the members that evaluators need."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    item_key: str = Field(min_length=1, max_length=LONGEST_KEY)
    input: Any = Field(None, description="What a target is asked.")
    expected: Any = None
    source: Source | None = None

    @property
    def trace_id(self) -> str:
        """The trace id of the source; empty if there is no source."""
        return ((self.source and self.source.trace_id) or "").lower()


def read_item(value: object) -> Item:
    """Parse a row as an item; raises ``InvalidRequestError`` that names the faulty member."""
    try:
        return Item.model_validate(an_object(value, "the row"))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidRequestError(f"{place}: {first['msg'].lower()}") from error


class Items:
    """Items of a dataset, found by key or by run."""

    def __init__(self) -> None:
        """Start without items."""
        self._by_key: dict[str, Item] = {}
        self._by_trace: defaultdict[str, list[Item]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._by_key.values())

    def add(self, item: Item) -> None:
        """Add an item; raises ``InvalidRequestError`` for a different item with the same key."""
        before = self._by_key.setdefault(item.item_key, item)
        if before is item:
            traces = {item.trace_id, item.item_key.lower()} - {""}
            for trace_id in traces:
                self._by_trace[trace_id].append(item)
        elif before != item:
            raise InvalidRequestError(f"item_key: another row has {item.item_key!r}, too")

    def find(self, key: str) -> Item | None:
        """Return the item with this key, if there is one."""
        return self._by_key.get(key)

    def of(self, trace_id: str, item_key: str) -> Sequence[Item]:
        """Return the items that name the run's trace, or else the item that the run names."""
        if found := self._by_trace.get(trace_id.lower()):
            return found
        named = self._by_key.get(item_key) if item_key else None
        return [named] if named else []

    def without(self, keys: Iterable[str]) -> Sequence[Item]:
        """Return all items except those with one of the ``keys``."""
        seen = frozenset(keys)
        return [item for key, item in self._by_key.items() if key not in seen]
