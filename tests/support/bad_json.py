"""Table rows of bad JSON input, which only HTTP accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from tests.support.bad_inputs import (
    INVALID,
    JSON,
    PROTOBUF,
    TAKEN,
    BadInput,
    Expected,
    always,
    one,
    partial,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.bad_inputs import Build

SPAN = '"traceId":"%s","spanId":"0000000000000001","name":"odd"'


def rows() -> Iterator[BadInput]:
    """Yield every table row with a JSON body."""
    yield _row("B2 empty object", always(b"{}"), TAKEN, always(b""))
    yield _row("B2 empty body", always(b""), INVALID)
    for name, opened in {"arrays": b"[", "objects": b'{"a":'}.items():
        yield _row(f"B10 100,000 {name}", always(opened * 100_000), INVALID)
    yield from _ids()
    yield from _fields()
    yield from _numbers()
    yield from _documents()
    yield from _texts()
    yield from _wrong_kind()


def document(span: str) -> Build:
    """Return a function that builds a request of one span with these JSON members."""
    return lambda trace_id: _wrap(span.replace("%s", trace_id.hex()))


def _wrap(span: str) -> bytes:
    return ('{"resourceSpans":[{"scopeSpans":[{"spans":[{' + span + "}]}]}]}").encode()


def _row(name: str, body: Build, expected: Expected, kept: Build | None = None) -> BadInput:
    return BadInput(name, body, expected, kept or one(), JSON)


def _ids() -> Iterator[BadInput]:
    bad_ids = {"no hex": "xyz" * 8, "odd": "a" * 31, "base64": "W47/95gDgQPSabYzgT/GDA=="}
    for name, bad in bad_ids.items():
        body = document(SPAN.replace("%s", bad))
        yield _row(f"B14 traceId {name}", body, partial(1, "trace_id"), always(b""))
    for case, change in {"upper": str.upper, "mixed": str.title}.items():
        yield _row(f"B15 hex in {case} case", lambda t, c=change: _wrap(SPAN % c(t.hex())), TAKEN)  # type: ignore[misc]  # the default binds it


def _fields() -> Iterator[BadInput]:
    server = document(SPAN + ',"kind":"SPAN_KIND_SERVER"')
    yield _row("B19 kind by its name", server, TAKEN, one(kind=2))
    yield _row("B19 kind of no name", document(SPAN + ',"kind":"FOO"'), INVALID)
    snake = '"trace_id":"%s","span_id":"0000000000000001","name":"odd"'
    yield _row("B20 keys in snake case", document(snake), TAKEN)
    twice = document('"name":"first",' + SPAN)
    yield _row("B23 a key twice", twice, TAKEN)
    nothing = ',"kind":null,"attributes":null,"events":[null],"status":null,"parentSpanId":null'
    yield _row("B24 null everywhere", document(SPAN + nothing), TAKEN, one(events=[{}]))


def _numbers() -> Iterator[BadInput]:
    cases = {"7": 7, '"7"': 7, '"12abc"': None, "1.5": None, "18446744073709551616": None}
    for written, number in cases.items():
        yield _value("B21 intValue", "intValue", written, number)
    minus = document(SPAN + ',"droppedAttributesCount":-1')
    yield _row("B21 -1 as unsigned", minus, INVALID)
    yield _value("B22 doubleValue", "doubleValue", "NaN", None)
    yield _value("B22 doubleValue", "doubleValue", '"NaN"', float("nan"))
    yield _value("B22 doubleValue", "doubleValue", "1e999", None)


def _value(name: str, member: str, written: str, number: float | None) -> BadInput:
    """Return the row of an attribute with this value; ``number`` is ``None`` if it is not valid."""
    body = document(f'{SPAN},"attributes":[{{"key":"k","value":{{"{member}":{written}}}}}]')
    if number is None:
        return _row(f"{name} {written}", body, INVALID)
    value = AnyValue(int_value=number) if isinstance(number, int) else AnyValue(double_value=number)
    kept = one(attributes=[KeyValue(key="k", value=value)])
    return _row(f"{name} {written}", body, TAKEN, kept)


def _documents() -> Iterator[BadInput]:
    whole = document(SPAN)
    yield _row("B25 trailing garbage", lambda trace: whole(trace) + b"x", INVALID)
    yield _row("B25 two documents", lambda trace: whole(trace) * 2, INVALID)
    yield _row("B25 byte order mark", lambda trace: b"\xef\xbb\xbf" + whole(trace), INVALID)
    for written in ("[]", "1", '"x"', "null"):
        yield _row(f"B27 {written}", always(written.encode()), INVALID)


def _texts() -> Iterator[BadInput]:
    for name, text in {"lone surrogate": r"\ud800", "NUL": r"a\u0000b"}.items():
        body = document(SPAN.replace("odd", text))
        kept = one(name="a\0b")
        yield _row(f"B26 {name}", body, TAKEN if name == "NUL" else INVALID, kept)


def _wrong_kind() -> Iterator[BadInput]:
    yield BadInput("B29 protobuf as JSON", one(), INVALID, kind=JSON)
    yield BadInput("B29 JSON as protobuf", document(SPAN), INVALID, kind=PROTOBUF)
    for kind in ("application/json; charset=utf-8", "Application/JSON"):
        yield _row(f"B30 {kind}", document(SPAN), TAKEN)._replace(kind=kind)
    for kind in ("application/x-protobuf;charset=utf-8", "APPLICATION/X-PROTOBUF"):
        yield BadInput(f"B30 {kind}", one(), TAKEN, kind=kind)
