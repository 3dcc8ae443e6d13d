"""Blocks rewritten for a later protocol revision hold the same columns, with added fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.core.ports.sql import SqlError
from spanloom.sql.native import header, reframe

if TYPE_CHECKING:
    from spanloom.storage.store import ClickHouseStore

BLOCK_INFO = bytes.fromhex("010002ffffffff00")
VALUES = [
    "number",
    "toString(number)",
    "repeat('x', number * 50)",
    "toInt256(number)",
    "toFixedString('abc', 5)",
    "toDecimal64(number, 2)",
    "toDecimal256(number, 2)",
    "now64(6, 'UTC')",
    "toDate32('2020-01-01')",
    "toIPv6('::1')",
    "generateUUIDv4(number)",
    "CAST('b,)' AS Enum16('a' = 1, 'b,)' = 2))",
    "INTERVAL number DAY",
    "number > 1",
    "NULL",
    "if(number % 2 = 1, NULL, toString(number))",
    "range(number)",
    "arrayMap(x -> (x, toString(x)), range(number))",
    "CAST([] AS Array(Array(String)))",
    "map('a', number, 'b', 2)",
    "CAST((1, 'x') AS Tuple(step UInt8, `a, b)` String))",
    "CAST((1, (2, 'x')) AS Tuple(a UInt8, b Tuple(UInt8, String)))",
    "toLowCardinality(toString(number % 3))",
    "toLowCardinality(if(number % 2 = 1, NULL, toString(number)))",
    "arrayMap(x -> toLowCardinality(toString(x)), range(number))",
    "map(toLowCardinality('k'), toNullable('v'))",
    "(1., 2.)::Point",
    "[[(1., 2.), (3., 4.)]]::Polygon",
    "CAST([(1, 'x')] AS Nested(a UInt8, b String))",
]


def native(store: ClickHouseStore, text: str) -> bytes:
    return store.connections.prober._client.raw_query(text, fmt="Native")


@pytest.mark.parametrize("value", VALUES)
def test_a_column_of_each_type_is_passed_over(
    clickhouse_store: ClickHouseStore, value: str
) -> None:
    """The column is between two columns of known bytes, so that a wrong length is noticed."""
    text = f"SELECT 'first' AS a, {value} AS v, 'last' AS z FROM numbers("
    block = native(clickhouse_store, f"{text}4)") + native(clickhouse_store, f"{text}3)")
    mended = reframe(block, 54454)
    assert mended.count(BLOCK_INFO) == 2
    assert mended.count(b"\x01a\x06String\x00\x05first") == 2
    assert mended.count(b"\x01z\x06String\x00\x04last") == 2
    assert len(mended) == len(block) + 2 * (8 + 3)
    assert len(reframe(block, 54405)) == len(block) + 2 * 8


def test_revision_zero_stays_as_it_is() -> None:
    assert reframe(b"anything", 0) == b"anything"


def test_columns_without_rows() -> None:
    block = header([("a", "String"), ("b", "Array(UInt8)")])
    assert block == b"\x02\x00\x01a\x06String\x01b\x0cArray(UInt8)"
    assert reframe(block, 54454) == (
        BLOCK_INFO + b"\x02\x00\x01a\x06String\x00\x01b\x0cArray(UInt8)\x00"
    )


def test_a_type_that_cannot_be_passed_over_is_named(clickhouse_store: ClickHouseStore) -> None:
    block = native(clickhouse_store, """SELECT '{"a": 1}'::JSON AS j""")
    assert reframe(block, 0) == block
    with pytest.raises(SqlError, match=r"type JSON.*another"):
        reframe(block, 54454)
