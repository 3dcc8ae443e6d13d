"""Requests without a Host, or with two, are answered 400 by the receiver and by the API."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from spanloom.access.headers import SECURITY_HEADERS

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom()
    started.wait_until_ready()
    return started


def status_of(address: str, head: str) -> int:
    """Send a head unchanged; return the HTTP status of the answer."""
    parts = urlsplit(address)
    assert parts.port is not None
    with socket.create_connection((parts.hostname or "", parts.port), timeout=10) as client:
        client.sendall(head.encode() + b"\r\n")
        return int(client.recv(4096).split()[1])


@pytest.mark.parametrize("door", ["otlp_http", "api"])
@pytest.mark.parametrize("head", ["GET / HTTP/1.1\r\n", "garbage\r\n", "X: " + "y" * 40_000])
def test_a_refused_head_gets_the_headers_of_every_answer(
    door: str, head: str, spanloom: RunningSpanloom
) -> None:
    parts = urlsplit(spanloom.addresses[door])
    assert parts.port is not None
    with socket.create_connection((parts.hostname or "", parts.port), timeout=10) as client:
        client.sendall(head.encode() + b"\r\n")
        answer = client.recv(4096).decode()
    assert answer.startswith("HTTP/1.1 400 ")
    for name, value in SECURITY_HEADERS.items():
        assert f"\r\n{name}: {value}\r\n" in answer


@pytest.mark.parametrize("door", ["otlp_http", "api"])
@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\n", None),
    ],
    ids=["none", "two", "one"],
)
def test_http_1_1_needs_one_host(
    door: str, head: str, expected: int | None, spanloom: RunningSpanloom
) -> None:
    served = {"otlp_http": 404, "api": 200}[door]
    assert status_of(spanloom.addresses[door], head) == (expected or served)
