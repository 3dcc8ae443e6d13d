from __future__ import annotations

import orjson
import pytest
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status

from spanloom.collector.doors.otlp.door import encode_response
from spanloom.collector.doors.status import (
    MAX_ERROR_BYTES,
    Encoding,
    build_status,
    clip,
    encode_status,
    retry_after_s,
    status_codes,
)
from spanloom.collector.intake.export import ExportOutcome
from spanloom.core.errors import (
    InvalidRequestError,
    OverloadedError,
    RequestTooLargeError,
    StoreUnavailableError,
    UnsupportedEncodingError,
)
from spanloom.core.ports.spans import Signal


@pytest.mark.parametrize(
    ("error", "grpc", "http"),
    [
        (InvalidRequestError("x"), 3, 400),
        (UnsupportedEncodingError("x"), 12, 415),
        (RequestTooLargeError("x"), 8, 413),
        (OverloadedError("x"), 14, 503),
        (StoreUnavailableError("x"), 14, 503),
        (MemoryError(), 14, 503),
        (ZeroDivisionError("x"), 13, 500),
    ],
)
def test_the_table(error: Exception, grpc: int, http: int) -> None:
    codes = status_codes(error)
    assert (codes.grpc, codes.http) == (grpc, http)
    assert build_status(error).code == grpc


@pytest.mark.parametrize(("wish", "hint"), [(0.0, 1), (1.2, 2), (60.0, 5)])
def test_the_retry_hint_is_neither_short_nor_long(wish: float, hint: int) -> None:
    error = OverloadedError("full", wish)
    assert retry_after_s(error) == hint
    info = RetryInfo()
    assert build_status(error).details[0].Unpack(info)
    assert info.retry_delay.seconds == hint


def test_want_of_memory_passes_and_is_said_in_words() -> None:
    assert retry_after_s(MemoryError()) == 5
    assert "memory" in build_status(MemoryError()).message


def test_what_is_permanent_has_no_retry_hint() -> None:
    error = RequestTooLargeError("large")
    assert retry_after_s(error) is None
    assert not build_status(error).details


def test_an_invalid_request_carries_bad_request() -> None:
    details = BadRequest()
    assert build_status(InvalidRequestError("no")).details[0].Unpack(details)
    assert details.field_violations[0].description == "no"


def test_a_fault_of_ours_tells_nothing() -> None:
    assert "secret" not in build_status(RuntimeError("secret")).message


def test_messages_are_short() -> None:
    status = build_status(InvalidRequestError("é" * 10_000))
    assert len(status.message.encode()) <= MAX_ERROR_BYTES
    assert clip("é", 1) == ""


def test_a_status_in_both_encodings() -> None:
    status = build_status(OverloadedError("full"))
    assert Status.FromString(encode_status(status, Encoding.PROTOBUF)) == status
    assert orjson.loads(encode_status(status, Encoding.JSON)) == {
        "code": 14,
        "message": "full",
        "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"},
        ],
    }


def test_bad_request_in_json() -> None:
    document = orjson.loads(encode_status(build_status(InvalidRequestError("no")), Encoding.JSON))
    assert document["details"][0]["@type"].endswith("google.rpc.BadRequest")
    assert document["details"][0]["fieldViolations"] == [{"description": "no"}]


def test_a_full_success_is_empty() -> None:
    assert encode_response(ExportOutcome(), Encoding.PROTOBUF) == b""
    assert encode_response(ExportOutcome(), Encoding.JSON) == b"{}"


def test_a_partial_success_in_json() -> None:
    body = encode_response(ExportOutcome(2, "bad ids"), Encoding.JSON)
    assert orjson.loads(body) == {
        "partialSuccess": {"rejectedSpans": "2", "errorMessage": "bad ids"}
    }


def test_a_partial_success_of_logs_in_json() -> None:
    outcome = ExportOutcome(2, "bad ids", Signal.CONTENT_EVENTS)
    assert orjson.loads(encode_response(outcome, Encoding.JSON)) == {
        "partialSuccess": {"rejectedLogRecords": "2", "errorMessage": "bad ids"}
    }
