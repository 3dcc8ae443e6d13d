"""Attribute values are written as text and read back in their type."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from tests.support.examples import examples
from tests.support.stored_texts import ARMS, text_of

from spanloom.core.values.doubles import double_text
from spanloom.storage.spans.values import attributes_of

if TYPE_CHECKING:
    from spanloom.storage.store import ClickHouseStore


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e21"),
        (1.5e300, "1.5e300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_doubles_are_written_shortest(number: float, text: str) -> None:
    assert double_text(number) == text


@given(st.floats(allow_nan=False))
def test_a_double_reads_back_as_itself(number: float) -> None:
    again = float(double_text(number))
    assert again == number
    assert math.copysign(1, again) == math.copysign(1, number)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=50, max_size=200))
@example([s * m * 10.0**e for e in range(-330, 308) for m in (1, 1.5, 9.999) for s in (1, -1)])
@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_double_is_written_as_clickhouse_writes_it(
    clickhouse_store: ClickHouseStore, numbers: list[float]
) -> None:
    client = clickhouse_store.connections.worker._client
    bits = [int.from_bytes(struct.pack("<d", number), "little") for number in numbers]
    rows = client.query(
        "SELECT toString(reinterpretAsFloat64(arrayJoin({bits:Array(UInt64)})))",
        parameters={"bits": bits},
    ).result_rows
    assert [text for (text,) in rows] == [double_text(number) for number in numbers]


scalars = st.one_of(
    st.builds(AnyValue, string_value=st.text(st.characters(exclude_categories=["Cs"]))),
    st.builds(AnyValue, bool_value=st.booleans()),
    st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1)),
    st.builds(AnyValue, double_value=st.floats(allow_nan=False) | st.just(math.nan)),
    st.builds(AnyValue, bytes_value=st.binary()),
    st.just(AnyValue()),
)


@given(scalars)
def test_a_scalar_comes_back_in_its_type(value: AnyValue) -> None:
    types = f"[{ARMS[value.WhichOneof('value')]}]"
    [back] = attributes_of({"k": text_of(value)}, types, {})
    assert back.SerializeToString() == KeyValue(key="k", value=value).SerializeToString()
