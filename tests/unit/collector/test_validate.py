from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.tenancy import write_projects
from spanloom.collector.intake.validate import validate_request
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    MakeRequest = Callable[..., ExportTraceServiceRequest]

TRACE_ID = bytes(range(1, 17))
SPAN_ID = bytes(range(1, 9))


def spans_of(body: bytes) -> Sequence[Span]:
    return ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans[0].spans


def test_a_good_request_is_stored_as_it_came(make_request: MakeRequest, limits: Limits) -> None:
    body = make_request(count=3).SerializeToString()
    validated = validate_request(body, limits)
    assert validated.body == write_projects(body, ["default"])
    assert (validated.span_count, validated.rejected, validated.message) == (3, 0, "")


def test_an_empty_request_holds_nothing(limits: Limits) -> None:
    assert validate_request(b"", limits).span_count == 0


@pytest.mark.parametrize("trace_id", [b"", bytes(16), b"x" * 15, b"x" * 17])
def test_a_bad_trace_id_rejects_its_span(
    trace_id: bytes, make_request: MakeRequest, limits: Limits
) -> None:
    bad = Span(trace_id=trace_id, span_id=SPAN_ID)
    good = Span(trace_id=TRACE_ID, span_id=SPAN_ID, name="good")
    validated = validate_request(make_request(bad, good).SerializeToString(), limits)
    assert (validated.span_count, validated.rejected) == (1, 1)
    assert validated.rejected_by_rule == {"trace_id": 1}
    assert "trace_id must be 16 bytes" in validated.message
    assert [span.name for span in spans_of(validated.body)] == ["good"]


@pytest.mark.parametrize("span_id", [b"", bytes(8), b"x" * 7, b"x" * 9])
def test_a_bad_span_id_rejects_its_span(
    span_id: bytes, make_request: MakeRequest, limits: Limits
) -> None:
    request = make_request(Span(trace_id=TRACE_ID, span_id=span_id))
    validated = validate_request(request.SerializeToString(), limits)
    assert (validated.span_count, validated.rejected) == (0, 1)
    assert validated.rejected_by_rule == {"span_id": 1}


def test_the_message_does_not_grow_with_the_request(
    make_request: MakeRequest, limits: Limits
) -> None:
    request = make_request(*(Span() for _ in range(10_000)))
    validated = validate_request(request.SerializeToString(), limits)
    assert validated.rejected == 10_000
    assert len(validated.message) < 4096


@pytest.mark.parametrize(
    ("parent", "stored", "warns"),
    [(b"", b"", False), (bytes(8), b"", False), (b"x" * 7, b"", True), (b"x" * 8, b"x" * 8, False)],
)
def test_parents(
    parent: bytes, stored: bytes, warns: bool, make_request: MakeRequest, limits: Limits
) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID, parent_span_id=parent)
    validated = validate_request(make_request(span).SerializeToString(), limits)
    assert spans_of(validated.body)[0].parent_span_id == stored
    assert ("parent_span_id" in validated.message) is warns
    assert validated.rejected == 0


def test_of_a_repeated_span_the_last_stays(make_request: MakeRequest, limits: Limits) -> None:
    first, other, last = (
        Span(trace_id=TRACE_ID, span_id=SPAN_ID, name="first"),
        Span(trace_id=TRACE_ID, span_id=b"8 bytes.", name="other"),
        Span(trace_id=TRACE_ID, span_id=SPAN_ID, name="last"),
    )
    validated = validate_request(make_request(first, other, last).SerializeToString(), limits)
    assert [span.name for span in spans_of(validated.body)] == ["other", "last"]
    assert (validated.span_count, validated.rejected, validated.message) == (2, 0, "")


def test_of_a_repeated_span_the_finished_one_stays(
    make_request: MakeRequest, limits: Limits
) -> None:
    done, opened, backwards = (
        Span(
            trace_id=TRACE_ID,
            span_id=SPAN_ID,
            name=name,
            start_time_unix_nano=7,
            end_time_unix_nano=end_ns,
        )
        for name, end_ns in (("done", 9), ("opened", 0), ("backwards", 5))
    )
    for order in permutations((done, opened, backwards)):
        validated = validate_request(make_request(*order).SerializeToString(), limits)
        assert [span.name for span in spans_of(validated.body)] == ["done"]
        assert validated.span_count == 1
    again = make_request(backwards, opened).SerializeToString()
    assert [s.name for s in spans_of(validate_request(again, limits).body)] == ["opened"]


def test_repeated_across_resources(make_request: MakeRequest, limits: Limits) -> None:
    request = make_request(Span(trace_id=TRACE_ID, span_id=SPAN_ID, name="first"))
    request.MergeFrom(make_request(Span(trace_id=TRACE_ID, span_id=SPAN_ID, name="last")))
    validated = validate_request(request.SerializeToString(), limits)
    kept = ExportTraceServiceRequest.FromString(validated.body)
    names = [s.name for r in kept.resource_spans for c in r.scope_spans for s in c.spans]
    assert names == ["last"]
    assert validated.span_count == 1


def test_attributes_beyond_the_limits_are_dropped_and_counted(make_request: MakeRequest) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID, dropped_attributes_count=1)
    span.attributes.extend(KeyValue(key=f"k{n}") for n in range(9))
    span.attributes.add(key="k" * 1000).value.string_value = "lost"
    limits = Limits(max_attributes=4)
    validated = validate_request(make_request(span).SerializeToString(), limits)
    stored = spans_of(validated.body)[0]
    assert sorted(a.key for a in stored.attributes) == ["k0", "k1", "k2", "k3"]
    assert stored.dropped_attributes_count == 1 + 5 + 1
    assert validated.rejected == 0
    assert "too long keys" in validated.message
    assert "beyond the limit" in validated.message


def test_a_key_is_measured_in_bytes(make_request: MakeRequest, limits: Limits) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    span.attributes.add(key="é" * 256).value.int_value = 1
    span.attributes.add(key="é" * 257).value.int_value = 2
    stored = spans_of(validate_request(make_request(span).SerializeToString(), limits).body)[0]
    assert [a.key for a in stored.attributes] == ["é" * 256]


def test_long_texts_are_cut_at_a_character(make_request: MakeRequest) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    span.attributes.add(key="text").value.string_value = "é" * 100
    span.attributes.add(key="bytes").value.bytes_value = bytes(200)
    limits = Limits(max_value_bytes=101)
    validated = validate_request(make_request(span).SerializeToString(), limits)
    stored = spans_of(validated.body)[0]
    assert [(a.key, a.value.string_value) for a in stored.attributes] == [("text", "é" * 50)]
    assert stored.dropped_attributes_count == 1
    assert "cut or dropped" in validated.message


def test_events_and_links_beyond_the_limits(make_request: MakeRequest) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    span.events.extend(Span.Event(name=str(n)) for n in range(5))
    span.links.extend(Span.Link(trace_state=str(n)) for n in range(5))
    limits = Limits(max_events=2, max_links=3)
    stored = spans_of(validate_request(make_request(span).SerializeToString(), limits).body)[0]
    assert [event.name for event in stored.events] == ["0", "1"]
    assert [link.trace_state for link in stored.links] == ["0", "1", "2"]
    assert (stored.dropped_events_count, stored.dropped_links_count) == (3, 2)


def test_nested_values_carry_their_json_everywhere(
    make_request: MakeRequest, limits: Limits
) -> None:
    request = make_request()
    resource = request.resource_spans[0]
    span = resource.scope_spans[0].spans[0]
    owners = (
        resource.resource,
        resource.scope_spans[0].scope,
        span,
        span.events.add(),
        span.links.add(),
    )
    for owner in owners:
        value = owner.attributes.add(key="list").value
        value.array_value.values.add().string_value = "stop"
    validated = validate_request(request.SerializeToString(), limits)
    assert validated.body.count(b'\xc2\x3e\x08["stop"]') == len(owners)
    assert ExportTraceServiceRequest.FromString(validated.body) != request  # unknown fields
    assert validated.message == ""


def test_depth(make_request: MakeRequest, limits: Limits) -> None:
    def nested(levels: int) -> bytes:
        value = AnyValue(string_value="deep")
        for _ in range(levels - 1):
            outer = AnyValue()
            outer.array_value.values.append(value)
            value = outer
        span = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
        span.attributes.add(key="k").value.CopyFrom(value)
        return make_request(span).SerializeToString()

    assert validate_request(nested(limits.max_value_depth), limits).span_count == 1
    with pytest.raises(InvalidRequestError, match="too deep"):
        validate_request(nested(limits.max_value_depth + 1), limits)
    with pytest.raises(InvalidRequestError):
        validate_request(nested(49), limits)


@pytest.mark.parametrize("field", ["name", "value", "key"])
def test_text_must_be_utf8(field: str, make_request: MakeRequest, limits: Limits) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    if field == "name":
        span.name = "WRONG"
    elif field == "key":
        span.attributes.add(key="WRONG")
    else:
        span.attributes.add(key="k").value.string_value = "WRONG"
    body = make_request(span).SerializeToString().replace(b"WRONG", b"\xff" * 5)
    with pytest.raises(InvalidRequestError, match="UTF-8"):
        validate_request(body, limits)


def test_a_cut_request_is_invalid(make_request: MakeRequest, limits: Limits) -> None:
    with pytest.raises(InvalidRequestError):
        validate_request(make_request().SerializeToString()[:-3], limits)


def test_too_many_spans_are_refused(make_request: MakeRequest) -> None:
    with pytest.raises(RequestTooLargeError):
        validate_request(make_request(count=3).SerializeToString(), Limits(max_spans=2))


def test_unknown_fields_of_spans_are_taken(make_request: MakeRequest, limits: Limits) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    later = Span.FromString(span.SerializeToString() + b"\x98\x06\x01")
    stored = write_projects(make_request(span).SerializeToString(), ["default"])
    assert validate_request(make_request(later).SerializeToString(), limits).body == stored


def test_fields_that_the_spool_would_add_are_removed(
    make_request: MakeRequest, limits: Limits
) -> None:
    request = make_request()
    forged = request.SerializeToString() + b"\xc0\x3e\x07"  # field 1000: the sequence
    expected = write_projects(request.SerializeToString(), ["default"])
    assert validate_request(forged, limits).body == expected


def test_string_indexes_are_read_as_unset(make_request: MakeRequest, limits: Limits) -> None:
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID)
    span.attributes.add(key="k").value.MergeFromString(b"\x40\x05")
    validated = validate_request(make_request(span).SerializeToString(), limits)
    assert spans_of(validated.body)[0].attributes[0].value.WhichOneof("value") is None
    assert "string indexes" in validated.message
