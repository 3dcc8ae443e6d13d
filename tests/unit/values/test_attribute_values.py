"""Attribute values are read in whatever form a sender wrote them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.spans import make_span

from spanloom.core.values.attributes import (
    MAX_COUNT,
    Json,
    count,
    decimal,
    decoded,
    first,
    first_integer,
    integer,
    json_field,
    json_object,
    json_text,
    json_value,
    pick,
    plain_arguments,
    seconds_as_ms,
    unquoted,
    written,
)

any_text = st.text(st.characters(exclude_categories=["Cs"])) | st.from_regex(
    r'-?[0-9]{1,400}(\.[0-9]+)?([eE][-+]?[0-9]{1,5})?|NaN|-?Infinity|"[0-9]+"', fullmatch=True
)


def test_the_first_value_that_says_something_counts() -> None:
    assert first({"a": "", "b": "x", "c": "y"}, "a", "b", "c") == "x"
    assert first({"a": ""}, "a", "z") == ""


def test_picked_values_take_new_names_and_the_first_source_wins() -> None:
    said = {"new": "", "old": "2", "other": "3"}
    assert pick(said, {"new": "n", "old": "n", "other": "n", "absent": "m"}) == {"n": "2"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        (" 12 ", 12),
        ("12.0", 12),
        ("1e3", 1000),
        ("-5", 0),
        ("", 0),
        ("many", 0),
        ("NaN", 0),
        ("Infinity", 0),
        (str(MAX_COUNT), MAX_COUNT),
        (str(MAX_COUNT + 1), 0),
        ("1e308", 0),
        ("9" * 5000, 0),
    ],
)
def test_token_counts(text: str, number: int) -> None:
    assert integer(text) == number


def test_a_count_that_is_zero_or_none_does_not_hide_a_later_one() -> None:
    assert first_integer({"a": "0", "b": "x", "c": "7", "d": "9"}, "a", "b", "c", "d") == 7
    assert first_integer({}, "a") == 0


@pytest.mark.parametrize(
    ("value", "number"), [(7, 7), ("7", 7), (7.9, 7), (True, 0), (None, 0), ([1], 0), ({}, 0)]
)
def test_counts_in_json(value: object, number: int) -> None:
    assert count(value) == number  # type: ignore[arg-type]  # any JSON


@pytest.mark.parametrize(
    ("text", "ms"),
    [("0.25", 250.0), ("0", 0.0), ("", None), ("soon", None), ("-1", None), ("1e308", None)],
)
def test_seconds_become_milliseconds(text: str, ms: float | None) -> None:
    assert seconds_as_ms(text) == ms


def test_json_that_is_none_stays_text() -> None:
    assert json_value('{"a":[1,null]}') == {"a": [1, None]}
    assert json_value("{'a': 1}") == "{'a': 1}"
    assert json_value("[" * 5000) == "[" * 5000


def test_only_objects_are_objects() -> None:
    assert json_object('{"a":1}') == {"a": 1}
    for text in ("", "[1]", "null", '"{}"', "{broken"):
        assert json_object(text) == {}


def test_a_json_string_loses_its_quotes() -> None:
    assert unquoted(r'"{\"city\": \"Rome\"}"') == '{"city": "Rome"}'
    for text in ("plain", "", '"half', "[1]"):
        assert unquoted(text) == text


@given(any_text)
def test_no_text_is_too_odd_to_be_a_number(text: str) -> None:
    assert 0 <= integer(text) <= MAX_COUNT
    number, ms = decimal(text), seconds_as_ms(text)
    assert number is None or math.isfinite(number)
    assert ms is None or 0 <= ms < math.inf
    json_value(text)
    json_object(text)
    unquoted(text)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('{"kwargs": {"city": "X"}}', '{"city":"X"}'),
        ('{"kwargs": {}}', "{}"),
        ('{"args": ["X"]}', "X"),
        ('{"args": [], "own": true, "kwargs": {"a": 1}}', '{"a":1}'),
        ('{"args": [1], "kwargs": {"a": 1}}', '{"args": [1], "kwargs": {"a": 1}}'),
        ('{"kwargs": {"a": 1}, "other": 1}', '{"kwargs": {"a": 1}, "other": 1}'),
        ('{"own": true}', '{"own": true}'),
        ('{"args": 5}', '{"args": 5}'),
        ("X", "X"),
    ],
)
def test_plain_arguments(said: str, expected: str) -> None:
    assert plain_arguments(said, frozenset({"own"})) == expected


def test_a_field_of_an_object() -> None:
    assert json_field('{"a": [1]}', "a") == [1]
    assert json_field('{"a": "b"}', "b") is None
    assert json_field('["a"]', "a") is None


def test_a_written_text_is_not_parsed_again() -> None:
    value: Json = [{"role": "user", "content": "hi"}]
    text = written(value)
    assert text == '[{"role":"user","content":"hi"}]'
    assert json_value(text) is value
    assert json_value(str(text)) == value


def test_many_brackets_are_not_deep() -> None:
    assert json_value("[" + "[]," * 100 + '"{"]') == [*[[]] * 100, "{"]
    assert json_value('["' + "[" * 100 + '"]') == ["[" * 100]


@pytest.mark.parametrize(("depth", "is_read"), [(63, True), (200, False), (1000, False)])
def test_what_is_read_can_be_written_again(depth: int, is_read: bool) -> None:
    text = '{"a":[' * (depth // 2) + "[]" + "]}" * (depth // 2)
    value = json_value(text)
    assert (value is not text) == is_read
    assert isinstance(json_text([{"said": value}]), str)


@pytest.mark.parametrize(
    ("key", "text", "shown"),
    [
        ("input.value", '"{\\"a\\": 1}"', '{"a": 1}'),
        ("input.value", '"\\"[1]\\""', "[1]"),
        ("input.value", '"hi"', '"hi"'),
        ("input.value", '"{no JSON"', '"{no JSON"'),
        ("input.value", '"[1]" and "[2]"', '"[1]" and "[2]"'),
        ("langfuse.observation.input", '"{\\"a\\": 1}"', '"{\\"a\\": 1}"'),
    ],
)
def test_objects_that_were_encoded_several_times(key: str, text: str, shown: str) -> None:
    span = make_span(1, 0, {key: text, "n": "1"})
    assert decoded(span).attributes == {key: shown, "n": "1"}
