from __future__ import annotations

import math

import orjson
import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from spanloom.collector.intake.attributes import annotate


def json_text(value: AnyValue) -> bytes:
    """Return the JSON that was appended to a value, without two bytes of tag and one of length."""
    encoded = value.SerializeToString()
    annotated = annotate(encoded, 40).value
    assert annotated.startswith(encoded)
    return annotated[len(encoded) + 3 :]


def an_array(*values: AnyValue) -> AnyValue:
    array = AnyValue()
    array.array_value.values.extend(values)
    return array


def test_every_kind_of_value_in_an_array() -> None:
    nested = AnyValue()
    nested.kvlist_value.values.add(key="k").value.string_value = "v"
    value = an_array(
        AnyValue(string_value="ünï"),
        AnyValue(int_value=-(2**63)),
        AnyValue(double_value=0.5),
        AnyValue(bool_value=False),
        AnyValue(bytes_value=b"\x00\xff"),
        AnyValue(),
        an_array(),
        nested,
    )
    assert json_text(value).decode() == (
        '["ünï",-9223372036854775808,0.5,false,"AP8=",null,[],{"k":"v"}]'
    )


@pytest.mark.parametrize(
    ("number", "text"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")]
)
def test_what_is_no_number_has_a_name(number: float, text: str) -> None:
    assert orjson.loads(json_text(an_array(AnyValue(double_value=number)))) == [text]


def test_the_last_of_duplicate_keys_wins() -> None:
    value = AnyValue()
    for number in (1, 2):
        value.kvlist_value.values.add(key="k").value.int_value = number
    assert json_text(value) == b'{"k":2}'


def test_an_empty_list_is_an_object() -> None:
    value = AnyValue()
    value.kvlist_value.SetInParent()
    assert json_text(value) == b"{}"


@pytest.mark.parametrize(
    "value",
    [
        AnyValue(string_value=""),
        AnyValue(int_value=0),
        AnyValue(double_value=0.0),
        AnyValue(bool_value=False),
        AnyValue(bytes_value=b""),
        AnyValue(),
    ],
)
def test_other_values_stay_as_they_are(value: AnyValue) -> None:
    encoded = value.SerializeToString()
    assert annotate(encoded, 40) == (encoded, False)


def test_an_array_that_another_arm_replaces_is_none() -> None:
    encoded = an_array().SerializeToString() + AnyValue(int_value=3).SerializeToString()
    assert annotate(encoded, 40).value == encoded


def test_a_text_longer_than_a_byte_can_count() -> None:
    annotated = annotate(an_array(AnyValue(string_value="x" * 1000)).SerializeToString(), 40)
    parsed = AnyValue.FromString(annotated.value)
    parsed.DiscardUnknownFields()
    assert parsed == an_array(AnyValue(string_value="x" * 1000))
    assert annotated.value.endswith(b'\xc2\x3e\xec\x07["' + b"x" * 1000 + b'"]')
