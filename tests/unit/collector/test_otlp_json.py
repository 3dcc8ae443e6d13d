from __future__ import annotations

import time

import orjson
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from spanloom.collector.doors.otlp.json import decode_traces
from spanloom.collector.intake.limits import Limits
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError

TRACE_HEX = "5b8efff798038103d269b633813fc60c"
SPAN_HEX = "eee19b7ec3c1b174"


def request_of(span: dict[str, object]) -> bytes:
    return orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})


def decode(body: bytes) -> Span:
    request = ExportTraceServiceRequest.FromString(decode_traces(body, Limits()))
    return request.resource_spans[0].scope_spans[0].spans[0]


def decode_span(**fields: object) -> Span:
    return decode(request_of(fields))


def decode_value(value: object) -> object:
    span = decode_span(attributes=[{"key": "k", "value": value}])
    decoded = span.attributes[0].value
    kind = decoded.WhichOneof("value")
    return None if kind is None else getattr(decoded, kind)


def test_empty_documents() -> None:
    assert decode_traces(b"{}", Limits()) == b""
    body = orjson.dumps({"resourceSpans": [{}, {"scopeSpans": [{}]}]})
    decoded = ExportTraceServiceRequest.FromString(decode_traces(body, Limits()))
    assert len(decoded.resource_spans) == 2


@pytest.mark.parametrize("write", [str.lower, str.upper, str.title])
def test_ids_are_hex_in_any_case(write: type[str]) -> None:
    span = decode_span(traceId=write(TRACE_HEX), spanId=write(SPAN_HEX))
    assert span.trace_id.hex() == TRACE_HEX
    assert span.span_id.hex() == SPAN_HEX


@pytest.mark.parametrize("text", ["xyz", "abc", "W47/95gDgQPSabYzgT/GDA==", "é" * 16, "x" * 16])
def test_a_malformed_id_gets_a_length_that_is_rejected(text: str) -> None:
    assert len(decode_span(traceId=text).trace_id) == 1
    assert len(decode_span(spanId=text[:8]).span_id) not in {0, 8}
    assert len(decode_span(parentSpanId=text[:8]).parent_span_id) not in {0, 8}


@pytest.mark.parametrize("value", ["1544712660000000000", 1544712660000000000])
def test_large_numbers_keep_their_digits(value: object) -> None:
    assert decode_span(startTimeUnixNano=value).start_time_unix_nano == 1544712660000000000


@pytest.mark.parametrize("value", ["12abc", 1.5, 2**64 * 1.0, -1, "-1", "", True, [], {}, "٣"])
def test_other_numbers_are_refused(value: object) -> None:
    with pytest.raises(InvalidRequestError, match=r"spans\[0\].startTimeUnixNano: must be an int"):
        decode_span(startTimeUnixNano=value)


@pytest.mark.parametrize(("value", "kind"), [(2, 2), ("SPAN_KIND_SERVER", 2), (99, 99), (-1, -1)])
def test_enums(value: object, kind: int) -> None:
    assert decode_span(kind=value).kind == kind


def test_an_unknown_enum_name_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="kind: must be an enum"):
        decode_span(kind="FOO")


def test_unknown_fields_are_ignored_at_every_level() -> None:
    body = b'{"foo":1,"resourceSpans":[{"bar":[{}],"scopeSpans":[{"x":null,"spans":[{"y":{}}]}]}]}'
    assert decode(body) == Span()


def test_names_in_snake_case_are_taken() -> None:
    body = b'{"resource_spans":[{"scope_spans":[{"spans":[{"trace_state":"a=b"}]}]}]}'
    assert decode(body).trace_state == "a=b"


def test_null_is_an_absent_field() -> None:
    assert decode_span(name=None, attributes=None, kind=None, status=None) == Span()
    assert decode_value(None) is None
    assert decode_value({"stringValue": None}) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"stringValue": "a\x00b"}, "a\x00b"),
        ({"stringValue": ""}, ""),
        ({"boolValue": False}, False),
        ({"intValue": "-9223372036854775808"}, -(2**63)),
        ({"intValue": 0}, 0),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "1.5e3"}, 1500.0),
        ({"doubleValue": "-Infinity"}, float("-inf")),
        ({"bytesValue": "-_8"}, b"\xfb\xff"),
        ({"bytesValue": "+/8="}, b"\xfb\xff"),
        ({}, None),
    ],
)
def test_values(value: object, expected: object) -> None:
    assert decode_value(value) == expected


def test_not_a_number() -> None:
    assert str(decode_value({"doubleValue": "NaN"})) == "nan"


@pytest.mark.parametrize(
    "value",
    [
        {"stringValue": 1},
        {"boolValue": "true"},
        {"boolValue": 1},
        {"doubleValue": "abc"},
        {"doubleValue": True},
        {"bytesValue": "!!!"},
        {"arrayValue": []},
        {"arrayValue": {"values": {}}},
        "text",
    ],
)
def test_a_wrong_type_names_its_field(value: object) -> None:
    with pytest.raises(InvalidRequestError, match=r"spans\[0\]\.attributes\[0\]\.value"):
        decode_value(value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"1",
        b'"x"',
        b"{} {}",
        b"\xef\xbb\xbf{}",
        b'{"a":NaN}',
        b'{"a":1e999}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b'{"resourceSpans":{}}',
    ],
)
def test_what_is_no_request_is_invalid(body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        decode_traces(body, Limits())


def test_the_last_of_duplicate_names_wins() -> None:
    assert decode(request_of({}).replace(b"{}", b'{"name":"a","name":"b"}')).name == "b"


def test_depth_is_bounded_as_in_protobuf() -> None:
    def nested(levels: int) -> object:
        value: dict[str, object] = {"stringValue": "deep"}
        for _ in range(levels - 1):
            value = {"arrayValue": {"values": [value]}}
        return value

    decode_value(nested(40))
    with pytest.raises(InvalidRequestError, match="nests too deep"):
        decode_value(nested(41))


@pytest.mark.parametrize("bomb", [b"[" * 100_000, b'{"a":' * 100_000])
def test_a_deep_bomb_is_refused_at_once(bomb: bytes) -> None:
    began = time.thread_time()  # CPU time, as other processes may run meanwhile
    with pytest.raises(InvalidRequestError):
        decode_traces(bomb, Limits())
    assert time.thread_time() - began < 0.5


def test_a_wide_bomb_is_too_large() -> None:
    with pytest.raises(RequestTooLargeError):
        decode_traces(b"[" + b"{}," * 100 + b"{}]", Limits(max_json_nodes=100))
