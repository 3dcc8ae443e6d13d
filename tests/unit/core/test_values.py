"""Attribute values in every form that SDKs write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.dialects.indexed import MAX_DEPTH, indexed_list, indexed_text
from spanloom.core.dialects.values import count, first_integer, integer, json_object, pick, unquoted


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("12.0", 12), ("-3", 0), ("", 0), ("many", 0), ("1e999", 0), ("NaN", 0)],
)
def test_a_count_is_read_or_zero(text: str, number: int) -> None:
    assert integer(text) == number


@given(st.text())
def test_any_text_is_a_count_or_zero(text: str) -> None:
    assert integer(text) >= 0


def test_the_first_positive_count_wins() -> None:
    assert first_integer({"a": "0", "b": "7", "c": "9"}, "a", "b", "c") == 7


@pytest.mark.parametrize(("value", "number"), [(True, 0), ("8", 8), (3.0, 3), (None, 0), ([], 0)])
def test_a_count_in_json(value: object, number: int) -> None:
    assert count(value) == number  # type: ignore[arg-type]  # JSON values


def test_quotes_are_taken_off_json_strings_only() -> None:
    assert unquoted('"a\\"b"') == 'a"b'
    assert unquoted('"broken') == '"broken'
    assert unquoted("plain") == "plain"


def test_only_an_object_is_an_object() -> None:
    assert json_object('{"a":1}') == {"a": 1}
    assert json_object("[1]") == json_object("{") == json_object("") == {}


def test_of_two_keys_of_one_name_the_first_that_says_something_wins() -> None:
    assert pick({"b": "2", "a": ""}, {"a": "x", "b": "x", "c": "y"}) == {"x": "2"}


def test_flattened_messages_are_put_together_again() -> None:
    said = {
        "p.1.message.role": "assistant",
        "p.1.message.tool_calls.0.tool_call.function.name": "add",
        "p.0.message.role": "user",
        "p.0.message.content": "hi",
        "other.0": "no",
    }
    assert indexed_list(said, "p.", frozenset({"message", "tool_call"})) == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "add"}}]},
    ]


def test_holes_are_closed_and_what_is_no_list_is_none() -> None:
    assert indexed_text({"p.3.a": "x", "p.1.a": "y"}, "p.") == '[{"a":"y"},{"a":"x"}]'
    assert indexed_text({"p.x": "y"}, "p.") == ""
    assert indexed_text({}, "p.") == ""


def test_a_hostile_key_is_bounded() -> None:
    deep = "p.0" + ".a" * 5_000
    value: object = indexed_list({deep: "x"}, "p.")[0]
    depth = 0
    while isinstance(value, dict):
        value, depth = next(iter(value.values())), depth + 1
    assert depth == MAX_DEPTH
