"""B45, B47 and B48 at a real service: wrong methods, contradictory heads, clients that leave."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from google.rpc.code_pb2 import Code
from tests.support.agents import await_trajectory
from tests.support.bad_inputs import one
from tests.support.doors import EXPORT, Doors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import RunningSpanloom, StartSpanloom

POST = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
LARGE = b"x" * 100_000
HEADS = {
    "length and chunks": b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
    "negative length": b"Content-Length: -1\r\n\r\n",
    "length that is no number": b"Content-Length: 5x\r\n\r\nabcde",
    "bad chunk": b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n0\r\n\r\n",
    "header of 100 KB": b"X-Large: " + LARGE + b"\r\nContent-Length: 0\r\n\r\n",
    "name of 100 KB": LARGE + b": x\r\nContent-Length: 0\r\n\r\n",
    "10,000 headers": b"X-Many: x\r\n" * 10_000 + b"Content-Length: 0\r\n\r\n",
    "blank in a name": b"X Bad: x\r\nContent-Length: 0\r\n\r\n",
    "CR in a value": b"X-Bad: a\rb\r\nContent-Length: 0\r\n\r\n",
    "NUL in a value": b"X-Bad: a\0b\r\nContent-Length: 0\r\n\r\n",
    "folded header": b"X-Bad: a\r\n b\r\nContent-Length: 0\r\n\r\n",
}


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def doors(spanloom: RunningSpanloom) -> Iterator[Doors]:
    opened = Doors(spanloom.addresses)
    yield opened
    opened.close()


def connect(spanloom: RunningSpanloom) -> socket.socket:
    parts = urlsplit(spanloom.addresses["otlp_http"])
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20)


def all_received(client: socket.socket) -> bytes:
    """Read until the server closes; a reset counts as closed."""
    received = b""
    with suppress(ConnectionResetError):
        while piece := client.recv(65_536):
            received += piece
    return received


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_b45_other_methods(method: str, doors: Doors) -> None:
    answer = doors.http.request(method, "/v1/traces")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.headers["content-type"] == "application/json"
    if method != "HEAD":
        assert answer.json()["code"] == Code.UNIMPLEMENTED


@pytest.mark.parametrize("path", ["/", "/v2/traces", "/v1/traces/", "/v1/traces/../logs2", "/%00"])
def test_b45_unknown_paths(path: str, doors: Doors) -> None:
    answer = doors.http.post(path, content=one()(b"t" * 16))
    assert (answer.status_code, answer.json()["code"]) == (404, Code.NOT_FOUND)


@pytest.mark.parametrize("method", ["/a.B/C", EXPORT.replace("Export", "Import"), EXPORT.lower()])
def test_b45_unknown_methods_of_grpc(method: str, doors: Doors) -> None:
    assert doors.call(b"", method=method).status == Code.UNIMPLEMENTED


@pytest.mark.parametrize("name", HEADS)
def test_b47_a_head_that_lies_is_refused_and_the_connection_closed(
    name: str, spanloom: RunningSpanloom, doors: Doors
) -> None:
    smuggled = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect(spanloom) as client:
        with suppress(ConnectionError):  # the service may close the connection early
            client.sendall(POST + HEADS[name] + smuggled)
        answered = all_received(client)
    assert answered.count(b"HTTP/1.1 ") == 1, answered
    assert answered.split()[1] in {b"400", b"431"}
    assert doors.post(one()(secrets.token_bytes(16))).status == 200


@pytest.mark.parametrize("way", ["closed", "half closed", "reset"])
def test_b48_a_client_that_leaves_in_its_body_stores_nothing(
    way: str, spanloom: RunningSpanloom, doors: Doors
) -> None:
    left, neighbour = secrets.token_bytes(16), secrets.token_bytes(16)
    for _ in range(20):
        with connect(spanloom) as client:
            client.sendall(POST + b"Content-Length: 1000\r\n\r\n" + one()(left))
            if way == "half closed":
                client.shutdown(socket.SHUT_WR)
                assert b" 200 " not in all_received(client)
            elif way == "reset":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes((1, 0, 0, 0)) * 2)
    assert doors.post(one()(neighbour)).status == 200
    await_trajectory(spanloom.api, neighbour.hex(), 1)
    assert doors.http.get(f"{spanloom.api}/v1/trajectories/{left.hex()}").status_code == 404
    in_flight = "\nspanloom_in_flight_bytes 0.0\n"
    assert in_flight in doors.http.get(f"{spanloom.api}/metrics").text


def test_b48_a_cancelled_call_leaves_nothing_behind(
    spanloom: RunningSpanloom, doors: Doors
) -> None:
    for _ in range(20):
        doors.cancel(one()(secrets.token_bytes(16)))
    assert doors.call(one()(secrets.token_bytes(16))).status == Code.OK
    told = [line for line in spanloom.complaints if "requests are refused" not in line]
    assert told == []
