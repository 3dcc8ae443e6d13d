"""Rows of a table, made from objects and read again."""

from __future__ import annotations

from typing import NamedTuple

from spanloom.storage.engine.columns import STORED_AT, Attribute, Columns, as_json


class Fruit(NamedTuple):
    """An object with an attribute for each column."""

    name: str
    sizes: list[int]
    is_ripe: bool = False
    at_us: int = 0


class Row(NamedTuple):
    """A row as the engine returns it, with a column that the query adds."""

    IsRipe: int
    Name: str
    Sizes: str
    AtUnixMicro: int
    Count: int


FRUITS = Columns(
    Fruit,
    {
        "IsRipe": Attribute("is_ripe", read=bool),
        "Name": "name",
        "Sizes": as_json("sizes"),
        "AtUnixMicro": STORED_AT,
    },
)


def test_a_column_that_the_store_fills_is_read_and_not_written() -> None:
    assert FRUITS.row(Fruit("fig", [1, 2], at_us=7)) == {
        "IsRipe": False,
        "Name": "fig",
        "Sizes": "[1,2]",
    }
    assert FRUITS.columns.text == (
        "IsRipe, Name, Sizes, toUnixTimestamp64Micro(StoredAt) AS AtUnixMicro"
    )


def test_a_row_may_have_further_columns() -> None:
    row = Row(1, "fig", "[1,2]", 7, 99)
    assert FRUITS.object(row) == Fruit("fig", [1, 2], is_ripe=True, at_us=7)
