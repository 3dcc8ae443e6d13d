"""Requests are framed for the store as protobuf's own parser reads them."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from google.protobuf.internal.decoder import _DecodeVarint  # type: ignore[attr-defined]  # no stub
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from tests.support.examples import examples
from tests.support.odd_protobuf import encode_oddly
from tests.support.otlp_requests import message_of, spooled, wire_span
from tests.support.otlp_strategies import export_requests

from spanloom.core.errors import StoreRejectedError
from spanloom.core.ports.spans import SpooledRequest
from spanloom.storage.spans.records import PIECE_BYTES, FramedRecords, canonical_request
from spanloom.storage.spans.values import own_text

if TYPE_CHECKING:
    from random import Random

uint64 = st.integers(0, 2**64 - 1)
projects = st.text(st.characters(exclude_categories=["Cs"]))
bodies = st.builds(ExportTraceServiceRequest.SerializeToString, export_requests)
requests = st.builds(SpooledRequest, uint64, projects, uint64, bodies, st.just(1))


def unframe(records: bytes) -> list[bytes]:
    """Split length-delimited records."""
    found, start, stream = [], 0, io.BytesIO(records)
    while start < len(records):
        length, start = _DecodeVarint(records, start)
        stream.seek(start)
        found.append(stream.read(length))
        assert len(found[-1]) == length
        start += length
    return found


@given(st.lists(requests, max_size=4))
@settings(max_examples=examples(50))
def test_a_record_is_the_request_with_our_fields_behind(batch: list[SpooledRequest]) -> None:
    records = unframe(b"".join(FramedRecords(batch)))
    assert len(records) == len(batch)
    for record, request in zip(records, batch, strict=True):
        message = ExportTraceServiceRequest.FromString(record)
        unknown = UnknownFieldSet(message)
        ours = {unknown[i].field_number: unknown[i].data for i in range(len(unknown))}
        assert ours == {
            1000: request.seq,
            1002: request.accepted_at_ns,
        }
        assert record.startswith(request.body)


def test_nothing_is_framed_as_nothing() -> None:
    assert b"".join(FramedRecords([])) == b""


def test_a_large_batch_comes_in_pieces_and_comes_again() -> None:
    bodies = [bytes([n]) * (PIECE_BYTES // 2) for n in range(5)]
    batch = FramedRecords([SpooledRequest(n, "", n, body, 1) for n, body in enumerate(bodies)])
    pieces = list(batch)
    assert len(pieces) == 3
    assert [r[: PIECE_BYTES // 2] for r in unframe(b"".join(pieces))] == bodies
    assert list(batch) == pieces


def known_fields(body: bytes) -> bytes:
    message = ExportTraceServiceRequest.FromString(body)
    message.DiscardUnknownFields()
    return message.SerializeToString(deterministic=True)


@settings(max_examples=examples(50))
@given(export_requests, st.randoms(use_true_random=False))
def test_the_canonical_form_says_the_same(
    message: ExportTraceServiceRequest, random: Random
) -> None:
    odd = spooled(encode_oddly(message, random))
    again = canonical_request(odd)
    assert known_fields(again.body) == known_fields(odd.body)
    assert replace(again, body=b"") == replace(odd, body=b"")
    assert canonical_request(again) == again


def test_the_canonical_form_keeps_json_texts_and_no_other_unknown_field() -> None:
    span = wire_span("ab" * 16, 1)
    span.attributes.append(
        KeyValue(key="list", value=AnyValue(array_value=ArrayValue(values=[AnyValue(int_value=7)])))
    )
    request = spooled(message_of([span]).SerializeToString() + b"\xfa\x3e\x01?")  # field 1007
    again = ExportTraceServiceRequest.FromString(canonical_request(request).body)
    [attribute] = again.resource_spans[0].scope_spans[0].spans[0].attributes
    assert own_text(attribute.value) == "[7]"
    assert len(UnknownFieldSet(again)) == 0


def test_what_is_no_otlp_has_no_canonical_form() -> None:
    with pytest.raises(StoreRejectedError):
        canonical_request(SpooledRequest(1, "", 1, b"\x0a\x05ab", 1))


def test_a_number_in_the_place_of_our_text_is_no_text() -> None:
    message = message_of([wire_span("ab" * 16, 1, attributes={"k": "v"})])
    value = message.resource_spans[0].scope_spans[0].spans[0].attributes[0].value
    value.MergeFromString(b"\xc0\x3e\xff\xff\xff\xff\xff\x7f")  # field 1000 as a varint
    assert own_text(value) == ""
    assert canonical_request(spooled(message)).span_count == 1
