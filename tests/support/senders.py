"""Clients of every transport that send small requests until the service stops responding."""

from __future__ import annotations

import gzip
import json
import ssl
import threading
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Protocol, Self

import grpc
import httpx
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub
from tests.support.ledger import Ledger, Outcome, Request, as_json, as_protobuf, make_requests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ANSWER_S = 20.0
TLS = ssl.create_default_context()  # unused, but each client would make its own in 40 ms


class Client(Protocol):
    """Sends one request at a time."""

    def send(self, request: Request) -> Outcome: ...

    def close(self) -> None: ...


class GrpcClient:
    """OTLP over gRPC."""

    def __init__(self, address: str, *, packed: bool) -> None:
        self._channel = grpc.insecure_channel(address.removeprefix("http://"))
        self._stub = TraceServiceStub(self._channel)
        self._compression = grpc.Compression.Gzip if packed else grpc.Compression.NoCompression

    def send(self, request: Request) -> Outcome:
        try:
            answer = self._stub.Export(
                as_protobuf(request), timeout=ANSWER_S, compression=self._compression
            )
        except grpc.RpcError as error:
            return refusal_of(error)
        assert answer.ByteSize() == 0, answer
        return Outcome.ACKNOWLEDGED

    def close(self) -> None:
        self._channel.close()


def refusal_of(error: grpc.RpcError) -> Outcome:
    """Distinguish a refusal, which has a retry delay, from a broken connection."""
    assert isinstance(error, grpc.Call)
    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    if details is None:
        assert error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), error
        return Outcome.UNKNOWN
    assert error.code() is grpc.StatusCode.UNAVAILABLE, error
    assert isinstance(details, bytes)
    hint = RetryInfo()
    assert Status.FromString(details).details[0].Unpack(hint)
    assert 1 <= hint.retry_delay.seconds <= 5
    return Outcome.REFUSED


class HttpClient:
    """OTLP over HTTP, as protobuf or as JSON."""

    def __init__(self, address: str, *, packed: bool, as_text: bool) -> None:
        kind = "application/json" if as_text else "application/x-protobuf"
        headers = {"Content-Type": kind, **({"Content-Encoding": "gzip"} if packed else {})}
        self._http = httpx.Client(base_url=address, headers=headers, timeout=ANSWER_S, verify=TLS)
        self._packed = packed
        self._as_text = as_text

    def send(self, request: Request) -> Outcome:
        body = self._encode(request)
        try:
            answer = self._http.post("/v1/traces", content=body)
        except httpx.TransportError:
            return Outcome.UNKNOWN
        if answer.status_code == 503:
            assert 1 <= int(answer.headers["retry-after"]) <= 5
            return Outcome.REFUSED
        assert (answer.status_code, answer.content) == (200, b"{}" if self._as_text else b"")
        return Outcome.ACKNOWLEDGED

    def close(self) -> None:
        self._http.close()

    def _encode(self, request: Request) -> bytes:
        if self._as_text:
            body = json.dumps(as_json(request)).encode()
        else:
            body = as_protobuf(request).SerializeToString()
        return gzip.compress(body, 1) if self._packed else body


def all_clients(addresses: Mapping[str, str]) -> list[Client]:
    """Return one client of each transport and encoding, plain and compressed."""
    clients: list[Client] = []
    for packed in (False, True):
        clients.append(GrpcClient(addresses["otlp_grpc"], packed=packed))
        for as_text in (False, True):
            http = addresses["otlp_http"]
            clients.append(HttpClient(http, packed=packed, as_text=as_text))
    return clients


PAUSE_S, RARE_S = 0.03, 0.1
"""Seconds between two requests of a client. Sending faster would test nothing more, and all
requests are read back. ``RARE_S`` is for sending until an event, which may take seconds."""


class Load:
    """A context manager of clients in threads; each stops when its requests fail."""

    def __init__(
        self,
        addresses: Mapping[str, str],
        ledger: Ledger,
        name: str,
        again: Sequence[Request] = (),
        pause_s: float = PAUSE_S,
    ) -> None:
        """Prepare; ``again`` are earlier requests to be repeated first."""
        self._ledger = ledger
        self._pause_s = pause_s
        self._stopped = threading.Event()
        self._faults: list[Exception] = []
        self._clients = all_clients(addresses)
        count = len(self._clients)
        self._threads = [
            threading.Thread(target=self._send, args=(client, f"{name}/{n}", again[n::count]))
            for n, client in enumerate(self._clients)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __len__(self) -> int:
        """Return the number of clients."""
        return len(self._clients)

    def __exit__(self, *_: object) -> None:
        """Wait for the requests in progress; raise the failures of the clients."""
        self._stopped.set()
        with ExitStack() as stack:
            for client in self._clients:
                stack.callback(client.close)
            for thread in self._threads:
                thread.join()
        if self._faults:
            raise self._faults[0]

    def wait_until_refused(self, timeout_s: float) -> None:
        """Wait until every client has stopped by itself."""
        for thread in self._threads:
            thread.join(timeout_s)
            assert not thread.is_alive(), "a client is still served"

    def _send(self, client: Client, name: str, again: Sequence[Request]) -> None:
        try:
            for request in chain(again, make_requests(name)):
                if self._stopped.is_set():
                    return
                outcome = client.send(request)
                self._ledger.note(request, outcome)
                if outcome is not Outcome.ACKNOWLEDGED:
                    return
                self._stopped.wait(self._pause_s)
        except Exception as fault:  # reported to the test on its own thread
            self._faults.append(fault)
