"""Table rows of bad protobuf input: HTTP and gRPC must respond alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.support.bad_inputs import (
    INVALID,
    TAKEN,
    TOO_LARGE,
    BadInput,
    always,
    field,
    one,
    partial,
    request_of,
    span_of,
)

from spanloom.collector.intake.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.bad_inputs import Build

LIMITS = Limits()
MONTH_NS = 30 * 86_400 * 10**9
KEYS = ("__proto__", "constructor", "a.b[0]", "'; DROP TABLE spans; --", "<img onerror=x>", "")
EMOJI = "\N{WAVING HAND SIGN}"


def rows() -> Iterator[BadInput]:
    """Yield every table row with a protobuf body."""
    yield BadInput("B1 empty body", always(b""), TAKEN)
    yield from _broken()
    yield BadInput("B7 unknown fields everywhere", _unknown_fields, TAKEN)
    yield from _depths()
    yield from _ids()
    yield from _odd_fields()
    yield from _too_many()
    yield from _beyond_limits()
    yield from _attributes()
    yield from _times_and_trees()


def _broken() -> Iterator[BadInput]:
    yield BadInput("B3 random bytes", always(b"\xff" * 20), INVALID)
    yield BadInput("B4 cut by 3 bytes", lambda trace: one()(trace)[:-3], INVALID)
    yield BadInput("B5 length overflow", always(bytes.fromhex("0affffffff0f")), INVALID)
    yield BadInput("B6 field number 0", always(b"\x02\x00"), INVALID)
    yield BadInput("B6 unmatched groups", always(b"\x0b" * 1000), INVALID)
    yield BadInput("B6 nested groups", always(b"\x0b" * 100_000 + b"\x0c" * 100_000), INVALID)
    inside = field(1, field(2, field(2, b"\x0b" * 100_000 + b"\x0c" * 100_000)))
    yield BadInput("B6 nested groups in a span", always(inside), INVALID)
    yield BadInput("B8 name not UTF-8", _with_bytes(b"\xff\xfe\xc0\x80"), INVALID)


def _with_bytes(raw: bytes) -> Build:
    return lambda trace: one(name="QQQQ")(trace).replace(b"QQQQ", raw)


def _unknown_fields(trace_id: bytes) -> bytes:
    """Write a request whose every message has a field 100."""
    unknown = field(100, b"from a later version")
    value = AnyValue(string_value="v").SerializeToString() + unknown
    attribute = field(1, b"k") + field(2, value) + unknown
    event = Span.Event(name="e").SerializeToString() + field(3, attribute) + unknown
    link = Span.Link(trace_id=trace_id, span_id=b"l" * 8).SerializeToString() + unknown
    status = Status(message="m").SerializeToString() + unknown
    inner = field(9, attribute) + field(11, event) + field(13, link) + field(15, status)
    span = span_of(trace_id).SerializeToString() + inner + unknown
    scope = field(1, field(3, attribute) + unknown) + field(2, span) + unknown
    return field(1, field(1, field(1, attribute) + unknown) + field(2, scope) + unknown) + unknown


def _depths() -> Iterator[BadInput]:
    """Yield rows of nested values; beyond the maximum depth the whole request is refused."""
    for depth in (LIMITS.max_value_depth, LIMITS.max_value_depth + 1, 47, 48, 100):
        expected = TAKEN if depth <= LIMITS.max_value_depth else INVALID
        yield BadInput(f"B9 depth {depth}", _nested(depth), expected)


def _nested(depth: int) -> Build:
    """Write an attribute of nested arrays by hand; the protobuf classes stop at 47 levels."""
    value = field(1, b"deep")
    for _ in range(depth - 1):
        value = field(5, field(1, value))
    attribute = field(9, field(1, b"k") + field(2, value))

    def build(trace_id: bytes) -> bytes:
        span = span_of(trace_id).SerializeToString() + attribute
        return field(1, field(2, field(2, span)))

    return build


def _ids() -> Iterator[BadInput]:
    """Yield rows with a rejected span, whose ids are unusable, and a span that is stored."""
    for size, trace_id in {"15": b"t" * 15, "17": b"t" * 17, "zero": bytes(16), "no": b""}.items():
        body = _beside({"trace_id": trace_id})
        yield BadInput(f"B11 trace_id of {size} bytes", body, partial(1, "trace_id"), one())
    for size, span_id in {"7": b"s" * 7, "9": b"s" * 9, "zero": bytes(8), "no": b""}.items():
        body = _beside({"span_id": span_id})
        yield BadInput(f"B12 span_id of {size} bytes", body, partial(1, "span_id"), one())
    bad = always(request_of(*[Span(name="no ids")] * 900))
    yield BadInput("B13 all of 900 spans invalid", bad, partial(900, "trace_id"), always(b""))
    kept = one()
    yield BadInput(
        "B16 parent of 7 bytes", one(parent_span_id=b"p" * 7), partial(0, "parent_span_id"), kept
    )


def _beside(fields: dict[str, bytes]) -> Build:
    return lambda trace: request_of(span_of(trace), span_of(trace, 2, **fields))


def _odd_fields() -> Iterator[BadInput]:
    yield BadInput("B17 empty name", one(name=""), TAKEN)
    yield BadInput("B18 unknown enums", one(kind=99, status=Status(code=7)), TAKEN)  # type: ignore[arg-type]  # no such code
    yield BadInput("B26 NUL in texts", one(name="a\0b", trace_state="\0"), TAKEN)
    yield BadInput("B42 one span twice", _twice, TAKEN, one(name="last"))
    unset = one(attributes=[KeyValue(key="k", value=AnyValue())])
    index = KeyValue(key="k", value=AnyValue(string_value_strindex=3))
    yield BadInput("B44 string index", one(attributes=[index]), partial(0, "string indexes"), unset)


def _twice(trace_id: bytes) -> bytes:
    return request_of(span_of(trace_id, name="first"), span_of(trace_id, name="last"))


def _too_many() -> Iterator[BadInput]:
    yield BadInput("B37 100,001 spans", always(_empty_spans(100_001)), TOO_LARGE)
    yield BadInput("B37 10,001 resources", always(b"\x0a\x00" * 10_001), TOO_LARGE)
    limit = LIMITS.max_request_bytes
    yield BadInput("B36 body of the limit", lambda trace: _filled(one()(trace), limit), TAKEN)
    larger = always(bytes(limit + 1))
    yield BadInput("B36 body beyond the limit", larger, TOO_LARGE)


def _empty_spans(count: int) -> bytes:
    return field(1, field(2, b"\x12\x00" * count))


def _filled(body: bytes, size: int) -> bytes:
    """Return the request with an unknown field that makes it ``size`` bytes long."""
    head = len(field(100, bytes(size - len(body)))) - (size - len(body))
    return body + field(100, bytes(size - len(body) - head))


def _beyond_limits() -> Iterator[BadInput]:
    """Yield rows with data beyond a limit: it is dropped and counted, and the span is stored."""
    many = [_text(f"k{n:04}", "v") for n in range(5_000)]
    kept = one(attributes=many[: LIMITS.max_attributes], dropped_attributes_count=5_000 - 1_024)
    yield BadInput("B38 5,000 attributes", one(attributes=many), partial(0, "attributes"), kept)
    events = [Span.Event(name="e")] * 10_000
    kept = one(events=events[: LIMITS.max_events], dropped_events_count=10_000 - 4_096)
    yield BadInput("B38 10,000 events", one(events=events), partial(0, "events"), kept)
    limit = LIMITS.max_value_bytes
    long = one(attributes=[_text("k", "v" * (limit + 1))])
    kept = one(attributes=[_text("k", "v" * limit)])
    yield BadInput("B38 value of 8 MiB + 1", long, partial(0, "attribute values"), kept)
    long_key = one(attributes=[_text("k" * 1024, "v")])
    kept = one(dropped_attributes_count=1)
    yield BadInput("B38 key of 1 KiB", long_key, partial(0, "too long keys"), kept)


def _text(key: str, text: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=text))


def _attributes() -> Iterator[BadInput]:
    repeated = one(attributes=[_text("k", "first"), _text("other", "v"), _text("k", "last")])
    kept = one(attributes=[_text("other", "v"), _text("k", "last")])
    yield BadInput("B39 an attribute twice", repeated, TAKEN, kept)
    odd = [_text(key, key or EMOJI * 2_500) for key in (*KEYS, EMOJI * 128)]
    yield BadInput("B40 keys that mean harm", one(attributes=odd), TAKEN)
    emoji = one(attributes=[_text(EMOJI * 2_500, "v")])
    kept = one(dropped_attributes_count=1)
    yield BadInput("B40 key of 10 KB", emoji, partial(0, "too long keys"), kept)


def _times_and_trees() -> Iterator[BadInput]:
    yield BadInput("B41 impossible times", _times, TAKEN)
    yield BadInput("B43 parents in a circle", _circle, TAKEN)


def _times(trace_id: bytes) -> bytes:
    """Write spans of 200 months, from 1970 to 2262 and later."""
    starts = [*(month * MONTH_NS for month in range(200)), 2**63 - 1, 2**63, 2**64 - 1]
    spans = [
        span_of(trace_id, n, start_time_unix_nano=start, end_time_unix_nano=start // 2)
        for n, start in enumerate(starts, 1)
    ]
    return request_of(*spans)


def _circle(trace_id: bytes) -> bytes:
    """Write a span that is its own parent, and two spans that are parents of each other."""
    parents = {1: 1, 2: 3, 3: 2}
    return request_of(
        *(
            span_of(trace_id, number, parent_span_id=parent.to_bytes(8, "big"))
            for number, parent in parents.items()
        )
    )
