from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from spanloom.collector.intake.prescan import scan_request
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
    )

    from spanloom.collector.intake.limits import Limits


def nested(tag: int, content: bytes) -> bytes:
    """Return a length-delimited field whose length is encoded in five bytes."""
    size = len(content)
    length = bytes([size >> shift & 0x7F | 0x80 for shift in (0, 7, 14, 21)] + [size >> 28])
    return bytes([tag]) + length + content


def test_counts_spans(
    make_request: Callable[..., ExportTraceServiceRequest], limits: Limits
) -> None:
    request = make_request(count=7)
    request.MergeFrom(make_request(count=5))
    assert scan_request(request.SerializeToString(), limits) == 12


def test_nothing_is_nothing(limits: Limits) -> None:
    assert scan_request(b"", limits) == 0


def test_other_fields_of_the_request_are_no_items(limits: Limits) -> None:
    assert scan_request(b"\x98\x06\x01", limits) == 0


@pytest.mark.parametrize(
    ("body", "what"),
    [
        pytest.param(nested(0x0A, nested(0x12, b"\x12\x00" * 2_000_000)), "items", id="spans"),
        pytest.param(b"\x0a\x00" * 2_000_000, "entries", id="resources"),
        pytest.param(nested(0x0A, b"\x12\x00" * 2_000_000), "entries", id="scopes"),
        pytest.param(b"\x78\x00" * 2_000_000, "fields", id="unknown fields"),
    ],
)
def test_a_bomb_of_empty_messages_is_refused_early(body: bytes, what: str, limits: Limits) -> None:
    began = time.thread_time()  # CPU time, as other processes may run meanwhile
    with pytest.raises(RequestTooLargeError, match=what):
        scan_request(body, limits)
    assert time.thread_time() - began < 0.5


def test_the_limit_itself_is_allowed(limits: Limits) -> None:
    body = nested(0x0A, nested(0x12, b"\x12\x00" * limits.max_spans))
    assert scan_request(body, limits) == limits.max_spans
    assert scan_request(b"\x0a\x00" * limits.max_entries, limits) == 0
    with pytest.raises(RequestTooLargeError):
        scan_request(b"\x0a\x00" * (limits.max_entries + 1), limits)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\xff" * 20, id="endless number"),
        pytest.param(b"\x0a\xff\xff\xff\xff\x0f", id="length beyond the end"),
        pytest.param(b"\x0a", id="no length"),
        pytest.param(b"\x0a\x05\x12", id="cut"),
        pytest.param(b"\x02\x00", id="field number 0"),
        pytest.param(b"\x0b" * 1000, id="groups"),
        pytest.param(b"\x0c", id="end of no group"),
        pytest.param(b"\x0e", id="unknown wire type"),
        pytest.param(b"\x09\x00", id="cut fixed number"),
    ],
)
def test_what_is_not_protobuf_is_invalid(body: bytes, limits: Limits) -> None:
    with pytest.raises(InvalidRequestError):
        scan_request(body, limits)
