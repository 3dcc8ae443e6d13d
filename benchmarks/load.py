"""Sends encoded export requests, several at a time, at little cost to the machine."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import grpc
import httpx

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Send = Callable[[bytes], None]

Transport = Literal["gRPC", "HTTP"]

IN_FLIGHT = 4
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_ANSWER_S = 60.0


def write_requests(path: Path, requests: Sequence[bytes]) -> None:
    """Write requests to a file for another process."""
    path.write_bytes(pickle.dumps(requests))


def read_requests(path: Path) -> Sequence[bytes]:
    """Return the requests written by ``write_requests``."""
    requests: Sequence[bytes] = pickle.loads(path.read_bytes())  # noqa: S301  # our own file
    return requests


def send_all(transport: Transport, address: str, requests_path: Path) -> float:
    """Send all requests and wait until all are acknowledged; return when the first was sent."""
    requests = read_requests(requests_path)
    with open_sender(transport, address) as send, ThreadPoolExecutor(IN_FLIGHT) as threads:
        began = time.monotonic()
        list(threads.map(send, requests))
    return began


@contextmanager
def open_sender(transport: Transport, address: str) -> Iterator[Send]:
    """Connect; the yielded function sends one request and raises if it is not fully accepted."""
    if transport == "gRPC":
        with grpc.insecure_channel(address.removeprefix("http://")) as channel:
            grpc.channel_ready_future(channel).result(_ANSWER_S)
            export = channel.unary_unary(
                EXPORT, request_serializer=None, response_deserializer=None
            )

            def send(request: bytes) -> None:
                _demand_empty(export(request, timeout=_ANSWER_S))

            yield send
        return
    headers = {"Content-Type": "application/x-protobuf"}
    with httpx.Client(base_url=address, headers=headers, timeout=_ANSWER_S) as client:
        yield lambda request: _demand_empty(
            client.post("/v1/traces", content=request).raise_for_status().content
        )


def _demand_empty(answer: bytes) -> None:
    if answer:
        raise RuntimeError(f"spans were refused: {answer!r}")
