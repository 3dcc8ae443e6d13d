"""Section D: OTLP's JSON mapping; docstrings of tests are answers in ``docs/conformance.md``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import grpc
import orjson
import pytest
from tests.conformance.samples import (
    json_attributes,
    json_request,
    json_span,
    nested_value,
    trace_id_of,
)
from tests.support.otlp_door import JSON, Door
from tests.support.work_of import Work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conformance.conftest import Kept
    from tests.conftest import RunningSpanloom


def status_of(door: Door, body: bytes) -> int:
    """Send JSON and return the HTTP status; assert that a 400 has a Status with BadRequest."""
    answer = door.post(body, JSON)
    if answer.status_code == 400:
        assert answer.json()["message"]
        assert answer.json()["details"][0]["@type"].endswith("google.rpc.BadRequest")
    return answer.status_code


def with_value(text: str) -> bytes:
    """Return a request with an attribute whose ``AnyValue`` is ``text``, as JSON."""
    marked = json_attributes(k={"stringValue": "HERE"})
    body = json_request(json_span("a value", attributes=marked))
    return body.replace(b'{"stringValue":"HERE"}', text.encode())


@pytest.mark.otlp(52)
def test_ids_are_hex(archive: Mapping[str, Kept], door: Door) -> None:
    """Hex in either case; a span with base64 is rejected."""
    (span,) = archive["upper case"].spans
    assert span.trace_id.hex() == trace_id_of("upper case")
    assert span.parent_span_id.hex() == "00000000000000ab"
    assert (span.links[0].trace_id, span.links[0].span_id) == (b"\xab" * 16, b"\xcd" * 8)
    span_in_base64 = json_span("n") | {"traceId": "W47/95gDgQPSabYzgT/GDA=="}
    answer = door.post(json_request(span_in_base64), JSON)
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"


@pytest.mark.otlp(53, 54)
def test_enums(archive: Mapping[str, Kept], door: Door) -> None:
    """Numbers are stored unchanged, known names accepted, others 400; answers have numbers."""
    assert [span.kind for span in archive["kinds"].spans] == [2, 2, 99]
    assert status_of(door, json_request(json_span("n", kind="FOO"))) == 400
    assert door.post(b"[]", JSON).json()["code"] == 3


@pytest.mark.otlp(55)
def test_unknown_fields(archive: Mapping[str, Kept]) -> None:
    """Ignored at every level."""
    (span,) = archive["unknown json"].spans
    assert [attribute.key for attribute in span.attributes] == ["k"]


@pytest.mark.otlp(56)
def test_snake_case(archive: Mapping[str, Kept]) -> None:
    """Accepted too, as in the Collector."""
    (span,) = archive["snake case"].spans
    assert (span.name, span.start_time_unix_nano, span.end_time_unix_nano) == ("n", 5, 6)


@pytest.mark.otlp(57)
def test_64_bit_numbers(archive: Mapping[str, Kept], door: Door) -> None:
    """Exact, from a string or a number; anything but an integer of its size is 400."""
    (span,) = archive["integers"].spans
    assert span.start_time_unix_nano == span.end_time_unix_nano == 1544712660000000001
    for wrong in ("18446744073709551616", '"18446744073709551616"', "-1", "1.5", '"1e3"', "true"):
        body = json_request(json_span("n", startTimeUnixNano="HERE"))
        assert status_of(door, body.replace(b'"HERE"', wrong.encode())) == 400, wrong


@pytest.mark.otlp(58)
def test_doubles(archive: Mapping[str, Kept], door: Door) -> None:
    """Numbers and the three names; bare `NaN` and values beyond a double are 400."""
    (span,) = archive["doubles"].spans
    nan, plus, minus, tenth = (a.value.double_value for a in span.attributes)
    assert math.isnan(nan)
    assert (plus, minus, tenth) == (math.inf, -math.inf, 0.1)
    for wrong in ("NaN", "1e999", '"1e999"', '"nan"', "Infinity"):
        assert status_of(door, with_value(f'{{"doubleValue":{wrong}}}')) == 400, wrong


@pytest.mark.otlp(59)
def test_bytes(archive: Mapping[str, Kept], door: Door) -> None:
    """Base64 in either alphabet, with padding or without; anything else is 400."""
    (span,) = archive["base64"].spans
    assert [a.value.bytes_value for a in span.attributes] == [b"\xfb\xff"] * 4
    for wrong in ("!", "a", "=a"):
        assert status_of(door, with_value(f'{{"bytesValue":"{wrong}"}}')) == 400, wrong


@pytest.mark.otlp(60)
def test_null(archive: Mapping[str, Kept]) -> None:
    """The same as no field."""
    (span,) = archive["nulls"].spans
    assert (span.name, span.kind, span.start_time_unix_nano) == ("", 0, 0)
    assert not span.attributes
    assert not span.links


@pytest.mark.otlp(61)
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b'{"resourceSpans":[', id="truncated"),
        pytest.param(b"{}x", id="trailing data"),
        pytest.param(b"[]", id="array"),
        pytest.param(b'{"resourceSpans":{}}', id="object for array"),
        pytest.param(b'{"resourceSpans":[1]}', id="number for object"),
        pytest.param(json_request(json_span("n") | {"name": 1}), id="number for text"),
        pytest.param(json_request(json_span("n")).replace(b'"n"', b'"\xff"'), id="not UTF-8"),
        pytest.param(
            json_request(json_span("n")).replace(b'"n"', b'"\\ud800"'), id="lone surrogate"
        ),
    ],
)
def test_malformed(body: bytes, door: Door) -> None:
    """400 with a Status and BadRequest."""
    assert status_of(door, body) == 400


@pytest.mark.otlp(62)
def test_depth(door: Door, spanloom: RunningSpanloom) -> None:
    """40 levels of values, as in protobuf; deeper values and deep JSON are 400 at once."""

    def nested(depth: int) -> bytes:
        inner = '{"arrayValue":{"values":[' * (depth - 1) + "{}" + "]}}" * (depth - 1)
        return with_value(inner)

    assert status_of(door, nested(40)) == 200
    assert door.rpc(nested_value(40)).code is grpc.StatusCode.OK
    assert door.rpc(nested_value(41)).code is grpc.StatusCode.INVALID_ARGUMENT
    for body in (nested(41), nested(10_000), b"[" * 100_000, b'{"a":' * 100_000):
        work = Work(spanloom.process.pid)
        assert status_of(door, body) == 400
        assert work.spent_s() < 1  # it takes some milliseconds by design
    assert orjson.loads(door.post(b"{}", JSON).content) == {}
