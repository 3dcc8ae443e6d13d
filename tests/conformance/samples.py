"""Requests whose stored spans the suite checks; each request is a trace of its own."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import orjson
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.otlp_door import make_span, new_trace, request_of

from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMES = (0, 2**63, 2**64 - 1)
EXAMPLE_TRACE = "5b8efff798038103d269b633813fc60c"
EXAMPLE = (
    b'{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":'
    b'"my.service"}}]},"scopeSpans":[{"scope":{"name":"my.library","version":"1.0.0"},"spans":[{'
    b'"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","parentSpanId":'
    b'"EEE19B7EC3C1B173","name":"I\'m a server span","startTimeUnixNano":"1544712660000000000",'
    b'"endTimeUnixNano":"1544712661000000000","kind":2,"attributes":[{"key":"my.span.attr",'
    b'"value":{"stringValue":"some value"}}]}]}]}]}'
)
"""``examples/trace.json`` of opentelemetry-proto 1.0."""


class Sample(NamedTuple):
    """The body of one request."""

    body: bytes
    is_json: bool = False


def trace_id_of(name: str) -> str:
    """Return the trace id of a sample, in hex."""
    return EXAMPLE_TRACE if name == "example" else hashlib.md5(name.encode()).hexdigest()  # noqa: S324  # an id, no secret


def json_span(name: str, /, **fields: object) -> dict[str, object]:
    """Return a span in OTLP's JSON mapping, with the sample's trace id and the span id 1."""
    return {"traceId": trace_id_of(name), "spanId": f"{1:016x}", "name": name} | fields


def json_request(*spans: dict[str, object]) -> bytes:
    """Return a request in OTLP's JSON mapping."""
    return orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def json_attributes(**values: dict[str, object] | None) -> list[dict[str, object]]:
    """Return attributes, each with an ``AnyValue`` in JSON."""
    return [{"key": key, "value": value} for key, value in values.items()]


def every_value() -> list[KeyValue]:
    """Return attributes with every kind of ``AnyValue``, and with nested mixtures of them."""
    text, empty = AnyValue(string_value="ä"), AnyValue()
    pairs = KeyValueList(values=[KeyValue(key="a", value=text), KeyValue(key="b", value=empty)])
    mixed = ArrayValue(
        values=[AnyValue(int_value=-(2**63)), text, empty, AnyValue(kvlist_value=pairs)]
    )
    values = {
        "unset": empty,
        "empty text": AnyValue(string_value=""),
        "text": text,
        "bool": AnyValue(bool_value=False),
        "int": AnyValue(int_value=2**63 - 1),
        "double": AnyValue(double_value=1e300),
        "bytes": AnyValue(bytes_value=b"\x00\xff"),
        "pairs": AnyValue(kvlist_value=pairs),
        "mixed": AnyValue(array_value=mixed),
        "nested": AnyValue(array_value=ArrayValue(values=[AnyValue(array_value=mixed)])),
        "no items": AnyValue(array_value=ArrayValue()),
    }
    return [KeyValue(key=key, value=value) for key, value in values.items()]


def nested_value(depth: int) -> bytes:
    """Return a request of one span with a value of ``depth`` nested levels, itself counted."""
    value = b""
    for _ in range(depth - 1):  # an AnyValue whose array has one value
        value = framed(0x2A, framed(0x0A, value))
    attribute = framed(0x0A, b"k") + framed(0x12, value)
    span = make_span(new_trace()).SerializeToString() + framed(0x4A, attribute)
    return framed(0x0A, framed(0x12, framed(0x12, span)))


def framed(tag: int, data: bytes) -> bytes:
    """Return a length-delimited field of protobuf."""
    return bytes([tag]) + encode_varint(len(data)) + data


def _span(name: str, number: int = 1) -> Span:
    return make_span(trace_id_of(name), number)


def _parents() -> bytes:
    spans = [_span("parents", number) for number in range(1, 5)]
    for span, parent in zip(spans, (b"", bytes(8), b"abc", bytes([1] * 9)), strict=True):
        span.parent_span_id = parent
    return request_of(*spans)


def _times() -> bytes:
    spans = [_span("times", number) for number in range(1, len(TIMES) + 2)]
    for span, time_ns in zip(spans, TIMES, strict=False):
        span.start_time_unix_nano = span.end_time_unix_nano = time_ns
    spans[-1].start_time_unix_nano, spans[-1].end_time_unix_nano = 2_000_000_000, 1_000_000_000
    return request_of(*spans)


def _values() -> bytes:
    span = _span("values")
    span.attributes.extend(every_value())
    return request_of(span)


def _string_index() -> bytes:
    span = _span("string index")
    span.attributes.append(KeyValue(key="k", value=AnyValue(string_value_strindex=1)))
    return request_of(span)


def _twice() -> bytes:
    span = _span("twice")
    span.attributes.extend(KeyValue(key="k", value=AnyValue(int_value=number)) for number in (1, 2))
    return request_of(span)


def _flags() -> bytes:
    span = _span("flags")
    span.flags = 0xFFFF_FFFF
    span.links.add(trace_id=b"t" * 16, span_id=b"s" * 8, flags=0xFFFF_FFFF)
    return request_of(span)


def _partial() -> bytes:
    return request_of(
        _span("partial", 1), Span(trace_id=bytes(16), span_id=b"s" * 8), _span("partial", 3)
    )


FULL_JSON = {
    "startTimeUnixNano": "1544712660000000001",
    "endTimeUnixNano": "1544712661000000000",
    "kind": 2,
    "traceState": "a=b",
    "flags": 257,
    "parentSpanId": "00000000000000ab",
    "droppedAttributesCount": 3,
    "status": {"code": 2, "message": "no"},
    "attributes": json_attributes(
        text={"stringValue": "ä"}, count={"intValue": "7"}, list={"arrayValue": {"values": [{}]}}
    ),
    "events": [{"timeUnixNano": "1544712660000000002", "name": "e"}],
    "links": [{"traceId": "ab" * 16, "spanId": "cd" * 8}],
}


def full_span(name: str) -> Span:
    """Return the span of ``FULL_JSON`` as protobuf."""
    span = Span(
        trace_id=bytes.fromhex(trace_id_of(name)),
        span_id=(1).to_bytes(8, "big"),
        parent_span_id=b"\0" * 7 + b"\xab",
        name="full",
        start_time_unix_nano=1544712660000000001,
        end_time_unix_nano=1544712661000000000,
        kind=Span.SPAN_KIND_SERVER,
        trace_state="a=b",
        flags=257,
        dropped_attributes_count=3,
        attributes=[
            KeyValue(key="text", value=AnyValue(string_value="ä")),
            KeyValue(key="count", value=AnyValue(int_value=7)),
            KeyValue(key="list", value=AnyValue(array_value=ArrayValue(values=[AnyValue()]))),
        ],
    )
    span.status.code, span.status.message = 2, "no"  # type: ignore[assignment]  # an enum's number
    span.events.add(time_unix_nano=1544712660000000002, name="e")
    span.links.add(trace_id=b"\xab" * 16, span_id=b"\xcd" * 8)
    return span


def _as_json(name: str, /, **fields: object) -> Sample:
    return Sample(json_request(json_span(name, **fields)), is_json=True)


def _upper_case() -> bytes:
    span = json_span("upper case", links=[{"traceId": "AB" * 16, "spanId": "CD" * 8}])
    upper = {"traceId": trace_id_of("upper case").upper(), "parentSpanId": "00000000000000AB"}
    return json_request(span | upper)


def _kinds() -> bytes:
    said: tuple[object, ...] = (2, "SPAN_KIND_SERVER", 99)
    spans = (
        json_span("kinds", kind=kind, spanId=f"{number:016x}")
        for number, kind in enumerate(said, 1)
    )
    return json_request(*spans)


def _snake_case() -> bytes:
    span = {"trace_id": trace_id_of("snake case"), "span_id": f"{1:016x}", "name": "n"}
    times = {"start_time_unix_nano": "5", "end_time_unix_nano": 6}
    return orjson.dumps({"resource_spans": [{"scope_spans": [{"spans": [span | times]}]}]})


def _unknown_json() -> bytes:
    span = json_span("unknown json", baz={"x": [1]}, attributes=[{"key": "k", "odd": 1}])
    scope = {"spans": [span], "scope": {"name": "s", "odd": None}, "odd": 1.5}
    return orjson.dumps({"foo": 1, "resourceSpans": [{"bar": [{}], "scopeSpans": [scope]}]})


SAMPLES: Mapping[str, Sample] = {
    "partial": Sample(_partial()),
    "parents": Sample(_parents()),
    "values": Sample(_values()),
    "string index": Sample(_string_index()),
    "twice": Sample(_twice()),
    "flags": Sample(_flags()),
    "times": Sample(_times()),
    "example": Sample(EXAMPLE, is_json=True),
    "full protobuf": Sample(request_of(full_span("full protobuf"))),
    "full json": _as_json("full json", **(FULL_JSON | {"name": "full"})),
    "upper case": Sample(_upper_case(), is_json=True),
    "kinds": Sample(_kinds(), is_json=True),
    "unknown json": Sample(_unknown_json(), is_json=True),
    "snake case": Sample(_snake_case(), is_json=True),
    "integers": _as_json(
        "integers", startTimeUnixNano=1544712660000000001, endTimeUnixNano="1544712660000000001"
    ),
    "doubles": _as_json(
        "doubles",
        attributes=json_attributes(
            a={"doubleValue": "NaN"},
            b={"doubleValue": "Infinity"},
            c={"doubleValue": "-Infinity"},
            d={"doubleValue": 0.1},
        ),
    ),
    "base64": _as_json(
        "base64",
        attributes=json_attributes(
            a={"bytesValue": "+/8="},
            b={"bytesValue": "-_8="},
            c={"bytesValue": "+/8"},
            d={"bytesValue": "-_8"},
        ),
    ),
    "nulls": _as_json(
        "nulls", name=None, attributes=None, kind=None, startTimeUnixNano=None, links=None
    ),
}
