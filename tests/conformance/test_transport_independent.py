"""Section A: gRPC and HTTP alike; docstrings of tests are answers in ``docs/conformance.md``."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.conformance.samples import EXAMPLE, TIMES, every_value
from tests.support.otlp_door import JSON, PROTOBUF, Door, make_span, new_trace, request_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conformance.conftest import Kept

UNKNOWN = b"\x9a\x06\x03odd"
"""An unknown field of protobuf: number 99, with three bytes."""


@pytest.mark.otlp(1)
def test_plain(door: Door) -> None:
    """Supported over HTTP and gRPC."""
    trace = new_trace()
    assert door.post(request_of(make_span(trace, 1))).status_code == 200
    assert door.rpc(request_of(make_span(trace, 2))).code is grpc.StatusCode.OK
    assert door.names(trace, 2) == ["1", "2"]


@pytest.mark.otlp(2)
def test_gzip(door: Door) -> None:
    """Supported over HTTP (`gzip`, `x-gzip`) and gRPC."""
    trace = new_trace()
    for number, coding in ((1, "gzip"), (2, "x-gzip")):
        body = gzip.compress(request_of(make_span(trace, number)))
        assert door.post(body, coding=coding).status_code == 200
    body = request_of(make_span(trace, 3))
    assert door.rpc(body, grpc.Compression.Gzip).code is grpc.StatusCode.OK
    assert door.names(trace, 3) == ["1", "2", "3"]


@pytest.mark.otlp(3)
@pytest.mark.parametrize("coding", ["zstd", "zlib", "deflate", "snappy", "lz4"])
def test_other_codings(coding: str, door: Door) -> None:
    """None: gzip is the only coding. HTTP answers 415, gRPC UNIMPLEMENTED."""
    answer = door.post(b"\x28\xb5\x2f\xfd" + bytes(20), JSON, coding)
    assert (answer.status_code, "gzip" in answer.json()["message"]) == (415, True)
    packed = door.rpc(request_of(make_span(new_trace())), grpc.Compression.Deflate)
    assert packed.code is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.otlp(4)
def test_empty_requests(door: Door) -> None:
    """Success, with the same answer as a full one."""
    assert door.rpc(b"") == (grpc.StatusCode.OK, b"", door.rpc(b"").status)
    for body, kind in ((b"", PROTOBUF), (b"{}", JSON)):
        answer = door.post(body, kind)
        assert (answer.status_code, answer.content) == (200, body)


@pytest.mark.otlp(5)
def test_empty_envelopes(door: Door) -> None:
    """Success; nothing is stored."""
    before = door.metric("spanloom_spans_accepted_total")
    answer = door.post(b'{"resourceSpans":[{},{"scopeSpans":[{}]}]}', JSON)
    assert (answer.status_code, answer.content) == (200, b"{}")
    request = ExportTraceServiceRequest()
    request.resource_spans.add()
    request.resource_spans.add().scope_spans.add()
    for response in door.both(request.SerializeToString()):
        assert not response.HasField("partial_success")
    assert door.metric("spanloom_spans_accepted_total") == before


@pytest.mark.otlp(6)
def test_full_success(door: Door) -> None:
    """The answer is an empty message: no bytes, or `{}`."""
    body = request_of(make_span(new_trace()))
    assert door.post(body).content == door.rpc(body).body == b""
    as_json = b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"%s"}]}]}]}'
    assert door.post(as_json % (new_trace().encode(), b"ab" * 8), JSON).content == b"{}"


@pytest.mark.otlp(7, 8)
def test_partial_success(door: Door) -> None:
    """The number of rejected spans and one sentence for each rule, at most 4 KiB in all."""
    trace = new_trace()
    bad = Span(trace_id=bytes(16), span_id=b"s" * 8)
    for response in door.both(request_of(make_span(trace, 1), bad, make_span(trace, 3))):
        partial = response.partial_success
        assert partial.rejected_spans == 1
        assert "trace_id must be 16 bytes" in partial.error_message
        assert len(partial.error_message.encode()) <= 4096
    assert door.names(trace, 2) == ["1", "3"]


@pytest.mark.otlp(9)
def test_warning_of_a_full_accept(door: Door) -> None:
    """Attributes beyond a limit are dropped or cut, and the answer says so."""
    span = make_span(new_trace())
    span.attributes.add(key="k" * 600).value.bool_value = True
    for response in door.both(request_of(span)):
        assert response.partial_success.rejected_spans == 0
        assert "too long keys" in response.partial_success.error_message
    assert door.names(span.trace_id.hex(), 1) == ["1"]


@pytest.mark.otlp(10)
def test_a_kill_after_a_partial_success(archive: Mapping[str, Kept]) -> None:
    """Accepted spans are fsynced before the answer: after a kill each is stored once."""
    answer, spans = archive["partial"]
    assert answer.partial_success.rejected_spans == 1
    assert [span.name for span in spans] == ["1", "3"]


@pytest.mark.otlp(11)
def test_unknown_fields(door: Door) -> None:
    """Ignored at every level."""
    trace = new_trace()
    span = Span.FromString(make_span(trace).SerializeToString() + UNKNOWN)
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    scope.MergeFromString(UNKNOWN)
    scope.spans.append(span)
    body = request.SerializeToString() + UNKNOWN
    assert body.count(UNKNOWN) == 3
    for response in door.both(body):
        assert response == ExportTraceServiceResponse()
    assert door.names(trace, 1) == ["1"]


@pytest.mark.otlp(12)
def test_ids_of_other_lengths(door: Door) -> None:
    """A span with an invalid id is rejected, its siblings are stored."""
    good = make_span(new_trace())
    bad = [Span(trace_id=b"t" * size, span_id=b"s" * 8) for size in (0, 1, 15, 17)]
    bad += [Span(trace_id=b"t" * 16, span_id=b"s" * size) for size in (0, 1, 7, 9)]
    bad += [Span(trace_id=bytes(16), span_id=b"s" * 8), Span(trace_id=b"t" * 16, span_id=bytes(8))]
    for response in door.both(request_of(*bad[:5], good, *bad[5:])):
        assert response.partial_success.rejected_spans == len(bad)
    assert door.names(good.trace_id.hex(), 1) == ["1"]


@pytest.mark.otlp(13)
def test_parents_of_roots(archive: Mapping[str, Kept]) -> None:
    """The parent id of a root is empty or zero, or of a wrong length, which causes a warning."""
    answer, spans = archive["parents"]
    assert [span.parent_span_id for span in spans] == [b""] * 4
    assert answer.partial_success.rejected_spans == 0
    assert "parent_span_id was not 8 bytes and was removed (2)" in (
        answer.partial_success.error_message
    )


@pytest.mark.otlp(14)
def test_every_kind_of_value(archive: Mapping[str, Kept]) -> None:
    """Stored as sent, in any mixture, up to 40 levels (36)."""
    (span,) = archive["values"].spans
    assert {a.key: a.value for a in span.attributes} == {a.key: a.value for a in every_value()}


@pytest.mark.otlp(15)
def test_string_indexes(archive: Mapping[str, Kept]) -> None:
    """The value is read as unset; the answer says so."""
    answer, (span,) = archive["string index"]
    (attribute,) = span.attributes
    assert (attribute.key, attribute.value.WhichOneof("value")) == ("k", None)
    assert answer.partial_success.rejected_spans == 0
    assert "string indexes" in answer.partial_success.error_message


@pytest.mark.otlp(16)
def test_the_same_key_twice(archive: Mapping[str, Kept]) -> None:
    """The last value counts, also after the spool was recovered."""
    (span,) = archive["twice"].spans
    assert [(a.key, a.value.int_value) for a in span.attributes] == [("k", 2)]


@pytest.mark.otlp(17)
def test_all_flags(archive: Mapping[str, Kept]) -> None:
    """Stored as sent, for spans and links."""
    (span,) = archive["flags"].spans
    assert (span.flags, span.links[0].flags) == (0xFFFF_FFFF, 0xFFFF_FFFF)


@pytest.mark.otlp(18)
def test_an_end_before_its_start(archive: Mapping[str, Kept]) -> None:
    """Accepted and stored as sent; the trajectory has a warning."""
    span = archive["times"].spans[-1]
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == (2_000_000_000, 1_000_000_000)


@pytest.mark.otlp(19)
def test_extreme_times(archive: Mapping[str, Kept]) -> None:
    """All 64 bits are stored: 0, 2^63, 2^64 - 1."""
    spans = archive["times"].spans[: len(TIMES)]
    assert [span.start_time_unix_nano for span in spans] == list(TIMES)
    assert [span.end_time_unix_nano for span in spans] == list(TIMES)


@pytest.mark.otlp(20)
def test_an_old_example(archive: Mapping[str, Kept], door: Door) -> None:
    """The example of opentelemetry-proto 1.0 is accepted, with every value stored."""
    assert door.post(EXAMPLE, JSON).content == b"{}"
    (span,) = archive["example"].spans
    assert (span.name, span.kind) == ("I'm a server span", Span.SPAN_KIND_SERVER)
    assert span.parent_span_id.hex() == "eee19b7ec3c1b173"
    assert span.start_time_unix_nano == 1544712660000000000
    assert [a.value.string_value for a in span.attributes] == ["some value"]
