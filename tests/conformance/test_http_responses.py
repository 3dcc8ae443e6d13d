"""Section E: answers over HTTP; docstrings of the tests are answers in ``docs/conformance.md``."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import orjson
import pytest
from google.rpc.error_details_pb2 import BadRequest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.conformance.samples import json_request, json_span
from tests.support.otlp_door import (
    JSON,
    PROTOBUF,
    Door,
    invalid_request,
    make_span,
    new_trace,
    request_of,
)

if TYPE_CHECKING:
    import httpx
    from tests.conformance.conftest import Locked

MIB = 1 << 20
ONE_JSON = json_request(json_span("responses"))


def check_status(answer: httpx.Response) -> None:
    """Assert that the body is a ``Status`` with a message, in the encoding of its Content-Type."""
    if answer.headers["content-type"] == JSON:
        assert answer.json()["message"]
        assert isinstance(answer.json()["code"], int)
    else:
        assert answer.headers["content-type"] == PROTOBUF
        assert Status.FromString(answer.content).message


@pytest.mark.otlp(63)
def test_success_is_200(door: Door) -> None:
    """200 with the response message and its Content-Type."""
    answer = door.post(request_of(make_span(new_trace())))
    assert (answer.status_code, answer.headers["content-type"]) == (200, PROTOBUF)
    ExportTraceServiceResponse.FromString(answer.content)
    answer = door.post(ONE_JSON, JSON)
    assert (answer.status_code, answer.headers["content-type"]) == (200, JSON)
    assert answer.json() == {}


@pytest.mark.otlp(64, 65)
@pytest.mark.parametrize("kind", [PROTOBUF, JSON])
def test_answers_have_the_encoding_of_the_request(
    kind: str, door: Door, full_door: Door, locked: Locked
) -> None:
    """For any status code; each error is a Status, in JSON if the encoding is unknown."""
    good = ONE_JSON if kind == JSON else request_of(make_span(new_trace()))
    answers = {
        200: door.post(good, kind),
        400: door.post(b"\xff" * 20, kind),
        401: locked.door.post(good, kind),
        403: locked.door.post(good, kind, x_api_key=locked.read),
        404: door.post(good, kind, path="/nothing/here"),
        405: door.http.put("/v1/traces", content=good, headers={"content-type": kind}),
        413: door.post(bytes(MIB + 1), kind),
        415: door.post(good, kind, "br"),
        503: full_door.post(good, kind),
    }
    for status, answer in answers.items():
        assert (answer.status_code, answer.headers["content-type"]) == (status, kind)
        if status != 200:
            check_status(answer)
    unknown = door.post(good, "text/plain")
    assert unknown.headers["content-type"] == JSON
    check_status(unknown)


@pytest.mark.otlp(66)
def test_messages_of_errors(door: Door) -> None:
    """Messages name the field, never its value, in at most 1 KiB."""
    secret = "sk-secret" * 500
    body = json_request(json_span("n", startTimeUnixNano=secret))
    message = door.post(body, JSON).json()["message"]
    assert "resourceSpans[0].scopeSpans[0].spans[0].startTimeUnixNano" in message
    assert "secret" not in message
    wide = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{"kind": secret}]}]}]})
    assert "secret" not in door.post(wide, JSON).text
    assert len(door.post(b"", coding="x" * 5000).content) <= 1200


@pytest.mark.otlp(67)
@pytest.mark.parametrize("body", [b"\xff" * 20, b"\x0a\x05abc", ONE_JSON])
def test_what_cannot_be_decoded(body: bytes, door: Door) -> None:
    """400 with BadRequest."""
    answer = door.post(body)
    assert answer.status_code == 400
    assert Status.FromString(answer.content).details[0].Is(BadRequest.DESCRIPTOR)


@pytest.mark.service
@pytest.mark.otlp(68, 69)
def test_no_room(full_door: Door) -> None:
    """If the store is down or the spool full, any request in any encoding gets 503."""
    packed = gzip.compress(request_of(make_span(new_trace())))
    for _ in range(20):
        answers = [
            full_door.post(request_of(make_span(new_trace()))),
            full_door.post(ONE_JSON, JSON),
            full_door.post(packed, coding="gzip"),
        ]
        assert {answer.status_code for answer in answers} == {503}


@pytest.mark.otlp(70)
def test_hints(full_door: Door, locked: Locked) -> None:
    """Whole seconds from 1 to 5: 503 for overload, 429 for a project over its rate or quota."""
    body = request_of(make_span(new_trace()))
    refused = full_door.post(body)
    over = [locked.door.post(body, x_api_key=locked.ingest) for _ in range(2)][1]
    assert (refused.status_code, over.status_code) == (503, 429)
    assert all(1 <= int(answer.headers["retry-after"]) <= 5 for answer in (refused, over))


@pytest.mark.otlp(71)
def test_the_size_of_responses(door: Door) -> None:
    """The answer for 100,000 rejected spans has less than 8 KiB."""
    answer = door.post(invalid_request(100_000))
    response = ExportTraceServiceResponse.FromString(answer.content)
    assert response.partial_success.rejected_spans == 100_000
    assert len(answer.content) < 8192


@pytest.mark.otlp(72)
def test_compressed_answers(door: Door) -> None:
    """gzip if the client accepts it, from 256 bytes on."""
    span = make_span(new_trace())
    span.parent_span_id = b"p"
    span.attributes.add(key="k" * 600)
    span.attributes.add(key="i").value.string_value_strindex = 1
    body = request_of(span, Span(), Span(trace_id=b"t" * 16))
    head = (
        b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %b\r\n"
    )
    sized = head % PROTOBUF.encode() + b"Content-Length: %d\r\n" % len(body)
    plain = door.raw(sized + b"\r\n" + body)
    packed = door.raw(sized + b"Accept-Encoding: gzip\r\n\r\n" + body)
    plain_head, _, plain_body = plain.partition(b"\r\n\r\n")
    packed_head, _, packed_body = packed.partition(b"\r\n\r\n")
    assert b"content-encoding" not in plain_head
    assert b"content-encoding: gzip" in packed_head
    assert gzip.decompress(packed_body) == plain_body
    assert ExportTraceServiceResponse.FromString(plain_body).partial_success.rejected_spans == 2


@pytest.mark.otlp(73)
def test_connections_after_errors(door: Door) -> None:
    """Kept after an error if the body was read; closed with a header after 413."""
    ports = []
    for body, status in ((b"\xff", 400), (b"", 200), (b"\xff", 400), (b"", 200)):
        answer = door.post(body)
        assert answer.status_code == status
        ports.append(answer.extensions["network_stream"].get_extra_info("client_addr"))
    assert len(set(ports)) == 1
    assert door.post(bytes(MIB + 1)).headers["connection"] == "close"
    assert door.post(b"").status_code == 200


@pytest.mark.otlp(74)
def test_pages_of_others(door: Door) -> None:
    """There is no CORS: no answer has its headers, and a preflight is 405."""
    asked = {"origin": "https://example.org", "access-control-request-method": "POST"}
    preflight = door.http.options("/v1/traces", headers=asked)
    assert preflight.status_code == 405
    for answer in (preflight, door.post(b"", origin="https://example.org")):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.otlp(75)
def test_repeats(door: Door) -> None:
    """Each is a success; the span is stored once."""
    trace = new_trace()
    body = request_of(make_span(trace))
    for _ in range(3):
        assert door.post(body).content == b""
        assert door.rpc(body).body == b""
    assert door.names(trace, 1) == ["1"]
    assert door.post(request_of(make_span(trace, 2))).status_code == 200
    assert door.names(trace, 2) == ["1", "2"]
