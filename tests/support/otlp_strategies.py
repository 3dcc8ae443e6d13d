"""Hypothesis strategies for valid export requests."""

from __future__ import annotations

import math

from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
keys = st.sampled_from(["a", "b", "service.name", "spanloom.project", "'", ""]) | texts
uint32 = st.integers(0, 2**32 - 1)
times = st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1)
numbers = st.floats(allow_nan=False) | st.sampled_from(
    [math.nan, -0.0, 1e21, 1e22, 1e-6, 1e-7, 5e-324, 0.1, 123456.789]
)
scalars = st.one_of(
    st.builds(AnyValue, string_value=texts),
    st.builds(AnyValue, bool_value=st.booleans()),
    st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1)),
    st.builds(AnyValue, double_value=numbers),
    st.builds(AnyValue, bytes_value=st.binary(max_size=5)),
    st.just(AnyValue()),
)


def _nest(inner: st.SearchStrategy[AnyValue]) -> st.SearchStrategy[AnyValue]:
    arrays = st.builds(ArrayValue, values=st.lists(inner, max_size=3))
    pairs = st.builds(KeyValue, key=keys, value=inner)
    lists = st.builds(KeyValueList, values=st.lists(pairs, max_size=3))
    return st.builds(AnyValue, array_value=arrays) | st.builds(AnyValue, kvlist_value=lists)


values = st.recursive(scalars, _nest, max_leaves=5)
attributes = st.lists(
    st.builds(KeyValue, key=keys, value=values) | st.builds(KeyValue, key=keys), max_size=5
)
ids = st.binary(min_size=8, max_size=8).filter(any)
trace_ids = st.binary(min_size=16, max_size=16).filter(any)
events = st.builds(
    Span.Event,
    time_unix_nano=times,
    name=texts,
    attributes=attributes,
    dropped_attributes_count=uint32,
)
links = st.builds(
    Span.Link,
    trace_id=trace_ids,
    span_id=ids,
    trace_state=texts,
    attributes=attributes,
    dropped_attributes_count=uint32,
    flags=uint32,
)
statuses = st.builds(Status, message=texts, code=st.integers(-1, 3) | st.just(2**31 - 1))
spans = st.builds(
    Span,
    trace_id=trace_ids,
    span_id=ids,
    trace_state=texts,
    parent_span_id=ids | st.sampled_from([b"", bytes(8)]),
    name=texts,
    kind=st.integers(-1, 7) | st.just(-(2**31)),
    start_time_unix_nano=times,
    end_time_unix_nano=times,
    attributes=attributes,
    dropped_attributes_count=uint32,
    events=st.lists(events, max_size=2),
    dropped_events_count=uint32,
    links=st.lists(links, max_size=2),
    dropped_links_count=uint32,
    status=statuses,
    flags=uint32,
) | st.builds(Span, trace_id=trace_ids, span_id=ids)
scopes = st.builds(
    InstrumentationScope,
    name=texts,
    version=texts,
    attributes=attributes,
    dropped_attributes_count=uint32,
)
scope_spans = st.builds(
    ScopeSpans, scope=scopes, spans=st.lists(spans, max_size=3), schema_url=texts
) | st.builds(ScopeSpans, spans=st.lists(spans, max_size=1))
resources = st.builds(Resource, attributes=attributes, dropped_attributes_count=uint32)
resource_spans = st.builds(
    ResourceSpans,
    resource=resources,
    scope_spans=st.lists(scope_spans, max_size=2),
    schema_url=texts,
) | st.builds(ResourceSpans, scope_spans=st.lists(scope_spans, max_size=1))
export_requests = st.builds(
    ExportTraceServiceRequest, resource_spans=st.lists(resource_spans, max_size=2)
)
"""Valid requests: every id has the right length and is not zero."""
