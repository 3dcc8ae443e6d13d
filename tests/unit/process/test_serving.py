"""The HTTP server uses real ports, limits request heads, and lets requests finish at its end."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from spanloom.core.errors import StartupError
from spanloom.process import serving
from spanloom.process.serving import HEAD_BYTES, HttpServer, PatientServer, bind, unusable_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Receive, Scope, Send

pytestmark = pytest.mark.service


async def _echo_size(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        return
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


@contextmanager
def _running() -> Iterator[HttpServer]:
    server = HttpServer(_echo_size, bind("127.0.0.1", 0, "--x-port"), "test")
    server.start()
    try:
        yield server
    finally:
        server.stop(1)


def _url(server: HttpServer) -> str:
    return f"http://127.0.0.1:{server.port}/"


def test_port_zero_becomes_a_real_port_that_answers() -> None:
    with _running() as server:
        assert httpx.post(_url(server), content=b"x" * 100_000).text == "100000"


def test_a_port_in_use_names_address_and_flag() -> None:
    with bind("127.0.0.1", 0, "--x-port") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartupError, match=rf"cannot listen on 127.0.0.1:{port}: .*--x-port"):
            bind("127.0.0.1", port, "--x-port")


@pytest.mark.parametrize("host", ["no such host", "192.0.2.1"])
def test_a_host_that_is_none_of_ours_names_its_flag(host: str) -> None:
    with pytest.raises(StartupError, match=r"cannot listen on .*; use --host to choose another"):
        bind(host, 0, "--x-port")


def test_an_address_of_ipv6_is_told_within_brackets() -> None:
    line = unusable_port("::1", 8080, "--x-port", "in use")
    assert line == "cannot listen on [::1]:8080: in use; use --x-port to choose another"


@pytest.mark.parametrize("pieces", [1, 40])
def test_a_head_beyond_its_bound_is_refused(pieces: int) -> None:
    head = b"GET / HTTP/1.1\r\nHost: x\r\nX-Big: " + b"a" * (HEAD_BYTES + 1)
    with _running() as server, _raw(server) as client:
        size = -(-len(head) // pieces)
        for start in range(0, len(head), size):
            client.sendall(head[start : start + size])
        client.sendall(b"\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 400")


def test_a_slow_head_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEAD_S", 0.2)
    with _running() as server, _raw(server) as client:
        client.sendall(b"GET / HTTP/1.1\r\n")
        began = time.monotonic()
        assert client.recv(100) == b""
        assert time.monotonic() - began < 9  # with the default it would be 10 s


def test_a_kept_connection_takes_the_next_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEAD_S", 1.0)  # enough for a busy machine to send a head
    with _running() as server, httpx.Client() as client:
        assert client.get(_url(server)).status_code == 200
        time.sleep(1.5)  # longer than a head may take, but none has begun
        assert client.get(_url(server)).status_code == 200


def test_stop_lets_an_open_request_finish() -> None:
    with _running() as server, _raw(server) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab")
        time.sleep(0.2)
        stopping = threading.Thread(target=server.stop, args=(30,))
        stopping.start()
        time.sleep(0.3)
        client.sendall(b"cd")
        answer = client.recv(1000)
        stopping.join(30)
        assert answer.startswith(b"HTTP/1.1 200")
        with pytest.raises(httpx.ConnectError):
            httpx.get(_url(server))


@contextmanager
def _raw(server: HttpServer) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        yield client


def test_a_server_that_is_ended_before_it_runs_ends() -> None:
    server = PatientServer(serving._config(_echo_size, None))
    server.end()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bind("127.0.0.1", 0, "-p")]})
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    server.end()  # again, when its event loop is closed


def test_an_idle_server_wakes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks: list[int] = []
    works = PatientServer.on_tick

    async def on_tick(self: PatientServer, counter: int) -> bool:
        ticks.append(counter)
        return await works(self, counter)

    monkeypatch.setattr(PatientServer, "on_tick", on_tick)
    with _running() as server:
        time.sleep(0.5)
        assert httpx.post(_url(server), content=b"x").text == "1"
    assert ticks == [0]
