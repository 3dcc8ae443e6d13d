"""Lists that are bound as parameters reach the engine unchanged, whatever they contain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples

from spanloom.storage.engine.parameters import bind

if TYPE_CHECKING:
    from spanloom.storage.store import ClickHouseStore

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")) | st.just(
    "it's \\n a `quote`\t\"'\\"
)


@settings(max_examples=examples(60), deadline=None)
@given(values=st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 2**64 - 1)), max_size=5))
def test_the_engine_reads_what_was_bound(
    clickhouse_store: ClickHouseStore, values: list[tuple[str, str, int]]
) -> None:
    answer = clickhouse_store.connections.worker._client.raw_query(
        "SELECT JSONExtract({values:String}, 'Array(Tuple(String, String, UInt64))')",
        parameters=bind({"values": values}),
        fmt="JSONCompactEachRow",
    )
    assert orjson.loads(answer) == [[list(value) for value in values]]


def test_other_values_are_left_to_the_driver() -> None:
    assert bind({"project": "it's", "limit": 3, "after": None}) == {
        "project": "it's",
        "limit": 3,
        "after": None,
    }
