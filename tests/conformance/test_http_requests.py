"""Section C: requests over HTTP; docstrings of the tests are answers in ``docs/conformance.md``."""

from __future__ import annotations

import gzip
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from tests.conformance.samples import full_span, trace_id_of
from tests.support.memory_of import Growth
from tests.support.otlp_door import (
    JSON,
    PROTOBUF,
    Door,
    make_span,
    new_trace,
    padded_request,
    request_of,
)
from tests.support.work_of import Work

from spanloom.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conformance.conftest import Kept
    from tests.conftest import RunningSpanloom

MIB = 1 << 20
LIMIT = MIB
SLOW_S = 8.0
"""Less than the 10 s after which a slow request is ended; other requests do not wait for it."""
HEAD = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"


@pytest.mark.otlp(38)
def test_a_stock_exporter(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """An SDK exports with only an endpoint configured; the default port is 4318."""
    assert Settings.model_fields["otlp_http_port"].default == 4318
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", door.addresses["otlp_http"])
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    with provider.get_tracer("t").start_as_current_span("from the SDK") as span:
        trace = f"{span.get_span_context().trace_id:032x}"
    provider.shutdown()
    assert door.names(trace, 1) == ["from the SDK"]


@pytest.mark.otlp(39)
def test_other_paths(door: Door) -> None:
    """Not configurable: `/v1/traces`, with the prefixes of Coze Loop's and Langfuse's SDKs."""
    body = request_of(make_span(new_trace()))
    for prefix in ("", "/v1/loop/opentelemetry", "/api/public/otel"):
        assert door.post(body, path=f"{prefix}/v1/traces").status_code == 200
    assert door.post(body, path="/otlp/v1/traces").status_code == 404


@pytest.mark.otlp(40, 41)
def test_both_encodings(archive: Mapping[str, Kept]) -> None:
    """The same spans in either encoding are stored as equal bytes."""
    spans = {}
    for name in ("full json", "full protobuf"):
        (span,) = archive[name].spans
        assert span.trace_id.hex() == trace_id_of(name)
        span.trace_id = bytes(16)
        spans[name] = span.SerializeToString(deterministic=True)
    assert spans["full json"] == spans["full protobuf"]
    sent = full_span("full protobuf")
    sent.trace_id = bytes(16)
    stored = Span.FromString(spans["full json"])
    for span in (stored, sent):
        span.attributes.sort(key=lambda attribute: attribute.key)
    assert stored == sent


@pytest.mark.otlp(42)
def test_encodings_in_turn_on_one_connection(door: Door) -> None:
    """Content-Type decides the encoding of each request."""
    ports = set()
    for _ in range(500):
        for body, kind in ((b"", PROTOBUF), (b"{}", JSON)):
            answer = door.post(body, kind)
            assert (answer.status_code, answer.content) == (200, body)
            stream = answer.extensions["network_stream"]
            ports.add(stream.get_extra_info("client_addr"))
    assert len(ports) == 1


@pytest.mark.otlp(43)
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("APPLICATION/JSON", b"{}"),
        ("application/json; charset=utf-8", b"{}"),
        ("application/x-protobuf;x=y", b""),
        ("Application/X-Protobuf ; x=y", b""),
    ],
)
def test_media_types_in_any_writing(kind: str, body: bytes, door: Door) -> None:
    """Case and parameters are ignored."""
    assert door.post(body, kind).status_code == 200


@pytest.mark.otlp(44)
@pytest.mark.parametrize(
    "kind", [None, "", "invalid", "text/plain", "application/protobuf", "application/json2"]
)
def test_other_media_types(kind: str | None, door: Door) -> None:
    """415 with a Status in JSON; `application/protobuf` is not supported either."""
    answer = door.post(b"", kind)
    assert (answer.status_code, answer.headers["content-type"]) == (415, JSON)
    assert PROTOBUF in answer.json()["message"]


@pytest.mark.otlp(45)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD"])
def test_other_methods(method: str, door: Door) -> None:
    """405 with `Allow: POST`."""
    answer = door.http.request(method, "/v1/traces")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def bomb_of_1000_mib() -> bytes:
    """Return the beginning of a gzip stream, of 1 MB, that inflates to 1000 MiB."""
    packer = zlib.compressobj(9, wbits=31)
    head = packer.compress(b"") or b""
    first = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + first + again * 999


@pytest.mark.otlp(46)
def test_the_size_of_bodies(door: Door, spanloom: RunningSpanloom) -> None:
    """64 MiB (`--max-request-bytes`), sent or decompressed, then 413; no zstd (3)."""
    assert Settings.model_fields["max_request_bytes"].default == 64 * MIB
    assert door.post(padded_request(LIMIT)).status_code == 200
    bomb = bomb_of_1000_mib()
    assert len(bomb) < LIMIT
    growth = Growth(spanloom.process.pid)
    work = Work(spanloom.process.pid)
    assert door.post(padded_request(LIMIT + 1)).status_code == 413
    assert door.post(bytes(10_000) for _ in range(LIMIT // 10_000 + 1)).status_code == 413
    assert door.post(gzip.compress(padded_request(LIMIT + 1)), coding="gzip").status_code == 413
    assert door.post(bomb, coding="gzip").status_code == 413
    assert work.spent_s() < 5  # each takes some milliseconds by design
    assert growth.at_most() < LIMIT + 64 * MIB


@pytest.mark.otlp(47)
def test_a_content_length_beyond_the_limit(door: Door) -> None:
    """413 at once, without waiting for the body; the connection is closed."""
    began = time.monotonic()
    answer = door.raw(HEAD + b"Content-Length: 10737418240\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert time.monotonic() - began < SLOW_S


@pytest.mark.otlp(48)
def test_broken_and_unknown_codings(door: Door) -> None:
    """Broken gzip is 400, any coding but gzip 415; `identity` means no coding."""
    body = request_of(make_span(new_trace()))
    packed = gzip.compress(body)
    bad_crc = packed[:-8] + bytes(8)
    for broken in (packed[:-4], packed[:20], bad_crc, body, b""):
        assert door.post(broken, coding="gzip").status_code == 400
    assert door.post(body, coding="br").status_code == 415
    assert door.post(body, coding="identity").status_code == 200


@pytest.mark.otlp(49)
def test_gzip_members(door: Door, spanloom: RunningSpanloom) -> None:
    """Up to 16 members are accepted; more are refused before decompression."""
    trace = new_trace()
    halves = gzip.compress(request_of(make_span(trace, 1)))
    halves += gzip.compress(request_of(make_span(trace, 2)))
    assert door.post(halves, coding="gzip").status_code == 200
    assert door.names(trace, 2) == ["1", "2"]
    work = Work(spanloom.process.pid)
    assert door.post(gzip.compress(b"") * 50_000, coding="gzip").status_code == 400
    assert work.spent_s() < 1.5  # reading all members takes seconds


@pytest.mark.otlp(50)
def test_http_versions(door: Door) -> None:
    """HTTP/1.1 only: an upgrade is ignored, HTTP/2's preface refused at once."""
    offer = b"Connection: Upgrade, close\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n"
    assert door.raw(HEAD + offer).startswith(b"HTTP/1.1 200 ")
    assert door.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.otlp(51)
def test_slow_requests(door: Door) -> None:
    """Headers may take 10 s, a body 10 s plus 1 s for each 8 KiB; others do not wait."""

    def drip(head: bytes) -> float:
        with door.connect() as client:
            began = time.monotonic()
            client.sendall(head)
            client.settimeout(0.5)
            while time.monotonic() - began < 40:
                try:
                    if not client.recv(1024):
                        break
                    client.settimeout(20)  # after the answer, wait for the end of the connection
                except TimeoutError:
                    client.sendall(b"x")
                except ConnectionError:
                    break
            return time.monotonic() - began

    with ThreadPoolExecutor(2) as threads:
        slow = (
            threads.submit(drip, HEAD),
            threads.submit(drip, HEAD + b"Content-Length: 99\r\n\r\n"),
        )
        while not all(future.done() for future in slow):
            began = time.monotonic()
            assert door.post(b"").status_code == 200
            assert time.monotonic() - began < SLOW_S
            time.sleep(0.2)
    assert all(SLOW_S < future.result() < 30 for future in slow)  # more than 10 s on a busy machine
