"""Requests that the receiver refuses over HTTP, on real sockets, and the status of each."""

from __future__ import annotations

import gzip
import socket

import pytest
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from tests.support.receiver import JSON, LARGE, LIMITS, ONE, ONE_JSON, PROTOBUF, Receiver, bomb

pytestmark = pytest.mark.service


class TestHttpRefusals:
    @pytest.mark.parametrize(
        ("body", "kind", "coding"),
        [
            pytest.param(b"\xff" * 20, PROTOBUF, "", id="random bytes"),
            pytest.param(ONE[:-3], PROTOBUF, "", id="truncated"),
            pytest.param(b"\x0a\xff\xff\xff\xff\x0f", PROTOBUF, "", id="length overflow"),
            pytest.param(b"\x0b" * 1000, PROTOBUF, "", id="groups"),
            pytest.param(ONE.replace(b"n", b"\xff"), PROTOBUF, "", id="not UTF-8"),
            pytest.param(ONE_JSON, PROTOBUF, "", id="JSON as protobuf"),
            pytest.param(ONE, JSON, "", id="protobuf as JSON"),
            pytest.param(b"", JSON, "", id="empty JSON"),
            pytest.param(b"[]", JSON, "", id="JSON array"),
            pytest.param(ONE_JSON + b"x", JSON, "", id="trailing data"),
            pytest.param(b"[" * 50_000, JSON, "", id="deep JSON"),
            pytest.param(ONE, PROTOBUF, "gzip", id="plain body called gzip"),
            pytest.param(gzip.compress(ONE)[:-4], PROTOBUF, "gzip", id="truncated gzip"),
            pytest.param(gzip.compress(b"") * 100, PROTOBUF, "gzip", id="many members"),
        ],
    )
    def test_bad_input_is_400_with_a_status(
        self, body: bytes, kind: str, coding: str, receiver: Receiver
    ) -> None:
        answer = receiver.post(body, kind, coding)
        assert (answer.status_code, answer.headers["content-type"]) == (400, kind)
        if kind == JSON:
            assert answer.json()["details"][0]["@type"].endswith("google.rpc.BadRequest")
        else:
            status = Status.FromString(answer.content)
            assert status.message
            assert status.details[0].Is(BadRequest.DESCRIPTOR)
        assert receiver.post(ONE).status_code == 200, "the connection stays usable"

    @pytest.mark.parametrize(
        ("body", "coding"),
        [
            pytest.param(bytes(LIMITS.max_request_bytes + 1), "", id="plain"),
            pytest.param(bomb(64 << 20), "gzip", id="bomb"),
            pytest.param(b"\x0a\x00" * 10_001, "", id="resources"),
            pytest.param(LARGE, "", id="spans"),
        ],
    )
    def test_too_much_is_413(self, body: bytes, coding: str, receiver: Receiver) -> None:
        answer = receiver.post(body, coding=coding)
        assert (answer.status_code, answer.headers["connection"]) == (413, "close")
        assert "retry-after" not in answer.headers
        assert Status.FromString(answer.content).code == 8

    def test_the_limit_itself_is_allowed(self, receiver: Receiver) -> None:
        # An unknown field fills the request up to the limit.
        filler = LIMITS.max_request_bytes - len(ONE) - 5
        body = (
            ONE + b"\xa2\x06" + bytes([filler & 127 | 128, filler >> 7 & 127 | 128, filler >> 14])
        )
        body += bytes(filler)
        assert len(body) == LIMITS.max_request_bytes
        assert receiver.post(body).status_code == 200

    def test_a_chunked_body_is_bounded_while_it_streams(self, receiver: Receiver) -> None:
        chunks = (bytes(10_000) for _ in range(1_000))
        answer = receiver.http.post("/v1/traces", content=chunks, headers={"content-type": JSON})
        assert answer.status_code == 413
        assert answer.json()["code"] == 8

    def test_a_large_content_length_is_refused_before_the_body(self, receiver: Receiver) -> None:
        with socket.create_connection(("127.0.0.1", receiver.http_port), timeout=5) as client:
            client.sendall(
                b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: 10737418240\r\n\r\n"
            )
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 413 ")

    @pytest.mark.parametrize("kind", [None, "invalid", "text/plain", "multipart/form-data"])
    def test_other_media_types_are_415(self, kind: str | None, receiver: Receiver) -> None:
        answer = receiver.post(ONE, kind)
        assert (answer.status_code, answer.headers["content-type"]) == (415, JSON)
        assert PROTOBUF in answer.json()["message"]

    @pytest.mark.parametrize("coding", ["br", "gzip, gzip", "junk"])
    def test_other_codings_are_415(self, coding: str, receiver: Receiver) -> None:
        assert receiver.post(ONE, coding=coding).status_code == 415

    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"])
    def test_other_methods_are_405(self, method: str, receiver: Receiver) -> None:
        answer = receiver.http.request(method, "/v1/traces")
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")

    def test_other_paths_are_404(self, receiver: Receiver) -> None:
        answer = receiver.post(ONE, path="/v2/traces")
        assert answer.status_code == 404
        assert "/v1/traces" in Status.FromString(answer.content).message

    def test_shutting_down_is_503_with_a_hint(self, receiver: Receiver) -> None:
        receiver.exporter.close()
        answer = receiver.post(ONE)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert Status.FromString(answer.content).details[0].Is(RetryInfo.DESCRIPTOR)

    def test_a_fault_of_ours_is_500_and_tells_nothing(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(receiver.spool, "put", lambda *_: 1 / 0)
        answer = receiver.post(ONE_JSON, JSON)
        assert answer.status_code == 500
        assert "division" not in answer.text
