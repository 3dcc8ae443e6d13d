"""Any bytes that arrive are refused, or a well-formed request is stored."""

from __future__ import annotations

import orjson
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.prescan import scan_request
from spanloom.collector.intake.validate import validate_request
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError

LIMITS = Limits(max_attributes=3, max_events=2, max_links=2, max_key_bytes=4)
TRACE_ID = bytes(range(16))

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    st.one_of(
        st.builds(AnyValue, string_value=texts),
        st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1)),
        st.builds(AnyValue, bool_value=st.booleans()),
        st.builds(AnyValue, double_value=st.floats(allow_nan=False, allow_infinity=False)),
        st.just(AnyValue()),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda v: AnyValue(array_value=ArrayValue(values=v))),
        st.dictionaries(texts, inner, max_size=3).map(
            lambda v: AnyValue(
                kvlist_value=KeyValueList(values=[KeyValue(key=k, value=x) for k, x in v.items()])
            )
        ),
    ),
    max_leaves=6,
)
attributes = st.lists(st.builds(KeyValue, key=texts, value=values), max_size=5)
spans = st.builds(
    Span,
    trace_id=st.just(TRACE_ID) | st.binary(max_size=17),
    span_id=st.integers(0, 3).map(lambda n: n.to_bytes(8, "big")) | st.binary(max_size=9),
    parent_span_id=st.binary(max_size=9),
    name=texts,
    attributes=attributes,
    events=st.lists(st.builds(Span.Event, name=texts, attributes=attributes), max_size=3),
    links=st.lists(st.builds(Span.Link, attributes=attributes), max_size=3),
)


def request_of(found: list[list[Span]]) -> bytes:
    request = ExportTraceServiceRequest()
    for some in found:
        request.resource_spans.add().scope_spans.add().spans.extend(some)
    return request.SerializeToString()


bodies = st.lists(st.lists(spans, max_size=4), max_size=3).map(request_of)


def spans_of(body: bytes) -> list[Span]:
    request = ExportTraceServiceRequest.FromString(body)
    return [s for r in request.resource_spans for c in r.scope_spans for s in c.spans]


def is_valid(span: Span) -> bool:
    return (len(span.trace_id), len(span.span_id)) == (16, 8) and any(span.span_id)


@settings(deadline=None)
@given(bodies)
def test_every_span_is_stored_or_rejected_or_repeated(body: bytes) -> None:
    validated = validate_request(body, LIMITS)
    sent, stored = spans_of(body), spans_of(validated.body)
    last = {(s.trace_id, s.span_id): s for s in sent if is_valid(s) and any(s.trace_id)}
    assert validated.rejected == sum(not (is_valid(s) and any(s.trace_id)) for s in sent)
    assert validated.span_count == len(stored) == len(last)
    for span in stored:
        original = last[span.trace_id, span.span_id]
        assert span.name == original.name
        assert len(span.parent_span_id) in {0, 8}
        assert len(span.attributes) <= LIMITS.max_attributes
        assert len(span.events) <= LIMITS.max_events


@settings(deadline=None)
@given(bodies)
def test_what_was_validated_is_valid(body: bytes) -> None:
    once = validate_request(body, LIMITS)
    again = validate_request(once.body, LIMITS)
    assert (again.rejected, again.message) == (0, "")
    assert again.span_count == once.span_count


def plain(value: AnyValue) -> object:
    """Return a value as JSON, by code that is independent of the tested code."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [plain(v) for v in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: plain(pair.value) for pair in value.kvlist_value.values}
    return None if kind is None else getattr(value, kind)


@settings(deadline=None)
@given(values)
def test_nested_values_carry_themselves_as_json(value: AnyValue) -> None:
    span = Span(trace_id=b"t" * 16, span_id=b"s" * 8, attributes=[KeyValue(key="k", value=value)])
    validated = validate_request(request_of([[span]]), LIMITS)
    [stored] = spans_of(validated.body)
    unknown = UnknownFieldSet(stored.attributes[0].value)
    added = [(unknown[n].field_number, unknown[n].data) for n in range(len(unknown))]
    if value.WhichOneof("value") in {"array_value", "kvlist_value"}:
        [(number, text)] = added
        assert number == 1000
        assert orjson.loads(text) == plain(value)
    else:
        assert not added
    stored.DiscardUnknownFields()
    assert stored.attributes[0].value == value


@settings(deadline=None)
@given(
    st.binary(max_size=60)
    | st.builds(
        lambda body, at, byte: body[: at % (len(body) + 1)] + byte + body[at % (len(body) + 1) :],
        bodies,
        st.integers(0, 2**20),
        st.binary(max_size=2),
    )
)
@example(b"\xff" * 20)
@example(b"\x0a\xff\xff\xff\xff\x0f")
def test_any_bytes_are_refused_or_well_formed(body: bytes) -> None:
    try:
        validated = validate_request(body, LIMITS)
    except (InvalidRequestError, RequestTooLargeError):
        return
    assert len(spans_of(validated.body)) == validated.span_count
    assert scan_request(body, LIMITS) == len(spans_of(body))
