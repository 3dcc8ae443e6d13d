"""Files are split into JSON values with their places; broken values do not stop the others."""

from __future__ import annotations

import json
import tracemalloc
from io import BytesIO
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange import elements, values
from spanloom.core.exchange.elements import TOO_LONG, Text
from spanloom.core.exchange.values import parse, split

A, B = {"a": 'a "quoted" [text]\\'}, {"b": [1, {"c": "}"}]}
FIRST, SECOND = orjson.dumps(A), orjson.dumps(B)
MESSAGES = orjson.dumps([{"role": "user"}])


def is_container(first: Any) -> bool:
    return not (isinstance(first, dict) and "role" in first)


def places(text: bytes) -> list[str]:
    return [one.place for one in split(BytesIO(text), is_container)]


def read(text: bytes) -> list[Any]:
    return [orjson.loads(one.text) for one in split(BytesIO(text), is_container) if not one.fault]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FIRST + b"\n" + SECOND, ["line 1", "line 2"]),
        (b"\xef\xbb\xbf\n\n" + FIRST + b"\r\n\n" + SECOND + b"\n", ["line 3", "line 5"]),
        (b"[" + FIRST + b"," + SECOND + b"]", ["item 1", "item 2"]),
        (b"[\n" + FIRST + b",\n" + SECOND + b"\n]\n", ["item 1", "item 2"]),
        (b"[" + FIRST + b"]\n[" + SECOND + b"]", ["line 1", "line 2"]),
        (json.dumps([A, B], indent=2).encode(), ["item 1", "item 2"]),
        (
            b"[" + FIRST + b"]\n[" + SECOND + b"," + FIRST + b"]",
            ["line 1", "line 2: item 1", "line 2: item 2"],
        ),
    ],
)
def test_values_and_their_places(text: bytes, expected: list[str]) -> None:
    assert places(text) == expected
    assert read(text) == [A, B, A][: len(expected)]


def test_an_item_that_is_too_deep_does_not_stop_its_neighbours() -> None:
    """The item can be parsed, but is nested too deeply to be written as JSON again."""
    deep = b"[" * 300 + b"]" * 300
    found = list(split(BytesIO(b"[" + FIRST + b"," + deep + b"," + SECOND + b"]"), is_container))
    assert [one.place for one in found] == ["item 1", "item 2", "item 3"]
    assert [one.fault for one in found] == ["", "it is nested too deeply", ""]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (FIRST, "line 1"),
        (json.dumps(A, indent=2).encode(), "the document"),
        (MESSAGES, "line 1"),
        (json.dumps([{"role": "user"}], indent=2).encode(), "the document"),
        (b"[]", "line 1"),
        (b"[\n]", "the document"),
    ],
)
def test_one_value(text: bytes, place: str) -> None:
    assert places(text) == [place]
    assert read(text) == [orjson.loads(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FIRST + b"\n{broken\n" + SECOND, ["line 1", "line 2", "line 3"]),
        (b"{broken\n" + FIRST + b"\n" + SECOND, ["line 1", "line 2", "line 3"]),
        (b"no\n{broken\n[1, 2\n" + FIRST, ["line 1", "line 2", "line 3", "line 4"]),
        (b"{\n" + FIRST + b"\n" + SECOND, ["line 1", "line 2", "line 3"]),
        (b'[{"role":1},\n' + MESSAGES + b"\n" + MESSAGES, ["line 1", "line 2", "line 3"]),
        (b"broken\n" * 150 + FIRST, [f"line {n}" for n in range(1, 152)]),
        (b'{"a": [\n' + FIRST + b"\n], broken\n}", ["the document"]),
        (b"[\n" + FIRST + b",\n" + SECOND, ["item 1", "item 2"]),
        (b"[" + FIRST + b",\n" + SECOND + b"\n," + FIRST + b"]", ["item 1", "item 2", "item 3"]),
        (b"{broken", ["the document"]),
        (b"[" + FIRST + b",{nope},\n" + SECOND + b"]", ["item 1", "item 2", "item 3"]),
        (b"[" + FIRST + b',\n{"cut', ["item 1", "item 2"]),
        (b"[" + FIRST + b",,\n" + SECOND + b"]", ["item 1", "item 2", "item 3"]),
        (b"[\n" + FIRST + b"\n]\nmore", ["item 1", "after item 1"]),
    ],
)
def test_what_is_broken_stands_alone(text: bytes, expected: list[str]) -> None:
    assert places(text) == expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"", values.EMPTY),
        (b" \n\t\r\n", values.EMPTY),
        (b"\xef\xbb\xbf", values.EMPTY),
        ('{"a":1}'.encode("utf-16"), values.UTF_16),
        ('{"a":1}'.encode("utf-16-be"), values.UTF_16),
        ("[1]".encode("utf-16-le"), values.UTF_16),
        ('{"a":1}'.encode("utf-32"), values.UTF_16),
    ],
)
def test_a_file_without_values_says_why(text: bytes, fault: str) -> None:
    assert list(split(BytesIO(text), is_container)) == [Text("the file", b"", fault)]


def test_a_line_that_is_too_long_does_not_stop_its_neighbours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(elements, "MAX_BYTES", 100)
    monkeypatch.setattr(elements, "PIECE_BYTES", 30)
    long = orjson.dumps({"a": "x" * 200})
    found = list(split(BytesIO(b"\n".join([FIRST, long, SECOND])), is_container))
    assert [one.fault for one in found] == ["", TOO_LONG, ""]
    assert [one.place for one in found] == ["line 1", "line 2", "line 3"]


@pytest.mark.parametrize("piece", [1, 7, 64, 1_000])
@pytest.mark.parametrize("long", [{"a": 'x"\\' * 80}, {"a": list(range(100))}, {"a" * 200: [{}]}])
def test_an_element_that_is_too_long_does_not_stop_its_neighbours(
    monkeypatch: pytest.MonkeyPatch, long: Any, piece: int
) -> None:
    monkeypatch.setattr(elements, "MAX_BYTES", 100)
    monkeypatch.setattr(elements, "PIECE_BYTES", piece)
    monkeypatch.setattr(values, "FIRST_BYTES", 4)
    for items, faults in (
        ([A, long, B], ["", TOO_LONG, ""]),
        ([long, A], [TOO_LONG, ""]),
        ([A, long], ["", TOO_LONG]),
    ):
        found = list(split(BytesIO(json.dumps(items).encode()), is_container))
        assert [one.fault for one in found] == faults
        assert [one.place for one in found] == [f"item {n + 1}" for n in range(len(items))]


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_elements_come_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(elements, "PIECE_BYTES", piece)
    monkeypatch.setattr(values, "FIRST_BYTES", 4)
    assert read(json.dumps([A, B, A], ensure_ascii=False).encode()) == [A, B, A]


def test_a_large_array_is_not_in_memory() -> None:
    one = orjson.dumps({"text": "x" * 100_000})
    file = BytesIO(b"[" + b",".join([one] * 400) + b"]")
    tracemalloc.start()
    assert sum(1 for _ in split(file, is_container)) == 400
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000


def test_surrogates_are_replaced_and_nan_is_none() -> None:
    assert parse(b'{"a": "\\ud83d\\ude00"}') == ({"a": "😀"}, False)
    assert parse(b'{"a": "x\\ud800"}') == ({"a": "x\ufffd"}, True)
    for text in (b'{"a": NaN}', b'{"a": "\\ud800", "b": NaN}', b"[" * 100_000, b'"\\ud800' + b"["):
        with pytest.raises(InvalidRequestError, match="it is no JSON"):
            parse(text)


@given(st.binary(max_size=300) | st.text(alphabet='[]{},:"\\a1 \n').map(str.encode))
def test_any_bytes_are_split(text: bytes) -> None:
    for one in split(BytesIO(text), is_container):
        assert one.place
        try:
            parse(one.text)
        except InvalidRequestError:
            continue
