"""A request means the same in JSON and in protobuf."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import orjson
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.odd_protobuf import encode_oddly

from spanloom.collector.doors.otlp.json import decode_traces
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.prescan import scan_request
from spanloom.collector.intake.validate import validate_request
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

LIMITS = Limits()
ID_NAMES = {"traceId", "spanId", "parentSpanId"}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ids = st.binary(max_size=17)
uint32, uint64 = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)
scalars = st.one_of(
    st.builds(lambda v: {"string_value": v}, texts),
    st.builds(lambda v: {"bool_value": v}, st.booleans()),
    st.builds(lambda v: {"int_value": v}, st.integers(-(2**63), 2**63 - 1)),
    st.builds(lambda v: {"double_value": v}, st.floats(allow_nan=False)),
    st.builds(lambda v: {"bytes_value": v}, st.binary(max_size=8)),
    st.just({}),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(lambda v: {"array_value": {"values": v}}, st.lists(inner, max_size=3)),
        st.builds(
            lambda v: {"kvlist_value": {"values": v}},
            st.lists(st.fixed_dictionaries({"key": texts, "value": inner}), max_size=3),
        ),
    ),
    max_leaves=6,
)
attributes = st.lists(st.fixed_dictionaries({"key": texts}, optional={"value": values}), max_size=3)
events = st.fixed_dictionaries(
    {}, optional={"time_unix_nano": uint64, "name": texts, "attributes": attributes}
)
links = st.fixed_dictionaries(
    {}, optional={"trace_id": ids, "span_id": ids, "attributes": attributes, "flags": uint32}
)
spans = st.fixed_dictionaries(
    {},
    optional={
        "trace_id": ids,
        "span_id": ids,
        "parent_span_id": ids,
        "name": texts,
        "kind": st.integers(-(2**31), 2**31 - 1),
        "start_time_unix_nano": uint64,
        "end_time_unix_nano": uint64,
        "attributes": attributes,
        "dropped_attributes_count": uint32,
        "events": st.lists(events, max_size=2),
        "links": st.lists(links, max_size=2),
        "status": st.fixed_dictionaries({}, optional={"message": texts, "code": st.integers(0, 9)}),
        "flags": uint32,
    },
)
scopes = st.fixed_dictionaries(
    {},
    optional={
        "scope": st.fixed_dictionaries({}, optional={"name": texts, "attributes": attributes}),
        "spans": st.lists(spans, max_size=3),
        "schema_url": texts,
    },
)
resources = st.fixed_dictionaries(
    {},
    optional={
        "resource": st.fixed_dictionaries({}, optional={"attributes": attributes}),
        "scope_spans": st.lists(scopes, max_size=2),
    },
)
make_request: Callable[..., ExportTraceServiceRequest] = ExportTraceServiceRequest
requests = st.lists(resources, max_size=2).map(lambda found: make_request(resource_spans=found))


def encode_json(request: ExportTraceServiceRequest, write_id: Callable[[bytes], str]) -> bytes:
    """Return OTLP/JSON: protobuf's JSON mapping, but with ids by ``write_id``, not in base64."""
    return orjson.dumps(_with_ids(MessageToDict(request), write_id))


def _with_ids(node: object, write_id: Callable[[bytes], str]) -> object:
    if isinstance(node, list):
        return [_with_ids(element, write_id) for element in node]
    if not isinstance(node, dict):
        return node
    return {
        name: write_id(base64.b64decode(value)) if name in ID_NAMES else _with_ids(value, write_id)
        for name, value in node.items()
    }


@settings(deadline=None)
@given(requests, st.sampled_from([bytes.hex, lambda v: v.hex().upper()]))
def test_json_decodes_to_the_message_that_was_written(
    request: ExportTraceServiceRequest, write_id: Callable[[bytes], str]
) -> None:
    decoded = decode_traces(encode_json(request, write_id), LIMITS)
    assert ExportTraceServiceRequest.FromString(decoded) == request


@settings(deadline=None)
@given(requests)
def test_counting_before_parsing_counts_what_a_parser_finds(
    request: ExportTraceServiceRequest,
) -> None:
    found = sum(len(s.spans) for r in request.resource_spans for s in r.scope_spans)
    assert scan_request(request.SerializeToString(), LIMITS) == found


@settings(deadline=None)
@given(requests, st.randoms(use_true_random=False))
def test_odd_writings_are_counted_and_kept_like_usual_ones(
    request: ExportTraceServiceRequest, random: Random
) -> None:
    oddly = encode_oddly(request, random)
    found = sum(len(s.spans) for r in request.resource_spans for s in r.scope_spans)
    assert scan_request(oddly, LIMITS) == found
    assert kept(oddly) == kept(request.SerializeToString())


@settings(deadline=None)
@given(requests)
def test_json_and_protobuf_are_kept_alike(request: ExportTraceServiceRequest) -> None:
    decoded = decode_traces(encode_json(request, bytes.hex), LIMITS)
    assert kept(decoded) == kept(request.SerializeToString())


def kept(body: bytes) -> tuple[int, str, ExportTraceServiceRequest]:
    """Return rejected spans and message for the sender, and the request that is spooled."""
    validated = validate_request(body, LIMITS)
    stored = ExportTraceServiceRequest.FromString(validated.body)
    stored.DiscardUnknownFields()
    return validated.rejected, validated.message, stored


@settings(deadline=None)
@given(requests, st.integers(0), st.binary(max_size=2), st.integers(0, 3))
def test_a_damaged_request_is_never_counted_otherwise_than_parsed(
    request: ExportTraceServiceRequest, at: int, put: bytes, lost: int
) -> None:
    body = request.SerializeToString()
    at %= len(body) + 1
    damaged = body[:at] + put + body[at + lost :]
    try:
        parsed = ExportTraceServiceRequest.FromString(damaged)
        counted = scan_request(damaged, LIMITS)
    except (DecodeError, InvalidRequestError):
        return
    assert counted == sum(len(s.spans) for r in parsed.resource_spans for s in r.scope_spans)


FIELD_NAMES = [
    *("resourceSpans", "scopeSpans", "spans", "attributes", "value", "key", "arrayValue"),
    *("values", "traceId", "stringValue", "intValue", "doubleValue", "status", "unknown"),
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | texts,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(FIELD_NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(json_values)
def test_any_json_gives_a_message_or_is_invalid(document: object) -> None:
    try:
        decoded = decode_traces(orjson.dumps(document), LIMITS)
    except InvalidRequestError:
        return
    ExportTraceServiceRequest.FromString(decoded)
