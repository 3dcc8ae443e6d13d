"""A small receiver of OTLP over HTTP on loopback, for agents in other processes."""

from __future__ import annotations

import gzip
import os
import zlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import orjson
from google.protobuf.message import DecodeError

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.otlp import spans_of
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.core.formats.readers import a_list, an_object
from spanloom.testing.blocks import blocks_of_process

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from spanloom.core.formats.json_bytes import Json

_PREFIX = "OTEL_EXPORTER_OTLP_"
_SIGNALS = ("TRACES_", "LOGS_", "METRICS_")
_OVERRIDING = ("ENDPOINT", "PROTOCOL", "HEADERS", "COMPRESSION", "CERTIFICATE", "INSECURE")
MAX_BODY = 64 << 20
"""Maximum bytes of a request as received."""
_HERE = "127.0.0.1"
_LINE = 1_000
_FLUSH_MS = "200"
"""The export delay of senders in ms; by default a sender waits five seconds for more spans."""


class Receiver:
    """The address of a running receiver."""

    def __init__(self, port: int) -> None:
        """Set the port on 127.0.0.1."""
        self.port = port
        self.url = f"http://{_HERE}:{port}"

    def __str__(self) -> str:
        """Return the URL of the receiver."""
        return self.url

    def set_variables(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Set the environment variables that exporters read, also in child processes."""
        for name in (
            f"{_PREFIX}{signal}{key}" for signal in ("", *_SIGNALS) for key in _OVERRIDING
        ):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
        monkeypatch.setenv(f"{_PREFIX}ENDPOINT", self.url)
        monkeypatch.setenv(f"{_PREFIX}PROTOCOL", "http/protobuf")
        monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, ",".join(filter(None, (os.environ.get(name), _HERE))))
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", _FLUSH_MS)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive spans on a free loopback port; they belong to the open block."""
    blocks = blocks_of_process()
    with ThreadingHTTPServer((_HERE, 0), _Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        blocks.receivers += 1
        try:
            yield Receiver(server.server_address[1])
        finally:
            blocks.receivers -= 1
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the base class defines the name
        try:
            body = self._body()
            if self.path.endswith("/v1/traces"):
                blocks_of_process().receive(_groups(body, is_json=self._is_json))
        except (
            DecodeError,
            InvalidRequestError,
            ValueError,
            OSError,
            EOFError,
            zlib.error,
        ) as error:
            self.close_connection = True  # the rest of the body may be unread
            self._answer(400, f"no OTLP: {error}".encode(errors="replace"))
        else:
            self._answer(200, b"{}" if self._is_json else b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class defines the name
        """Print nothing."""

    @property
    def _is_json(self) -> bool:
        return self.headers.get_content_type() == "application/json"

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b"".join(self._chunks())
        else:
            body = self._read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _chunks(self) -> Iterator[bytes]:
        left = MAX_BODY
        while size := int(self.rfile.readline(_LINE).partition(b";")[0], 16):
            left -= size
            yield self._read(size if left >= 0 else MAX_BODY + 1)
            self.rfile.readline(_LINE)
        while self.rfile.readline(_LINE).strip():
            pass  # skip the trailers

    def _read(self, size: int) -> bytes:
        if not 0 <= size <= MAX_BODY:
            raise ValueError(f"a request has at most {MAX_BODY:,} bytes")
        return self.rfile.read(size)

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        kind = "application/json" if self._is_json else "application/x-protobuf"
        self.send_header("Content-Type", kind if status == 200 else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _groups(body: bytes, *, is_json: bool) -> Sequence[Json]:
    """Return the items of ``resourceSpans``, checked; raises ``InvalidRequestError``."""
    if is_json:
        whole = an_object(orjson.loads(body), "the request")
        items = a_list(whole.get("resourceSpans") or [], "resourceSpans")
        groups = [an_object(item, "resourceSpans") for item in items]
    else:
        groups = [orjson.loads(group) for group in resource_spans_json(body)]
    for group in groups:
        for _ in spans_of(group):
            pass  # the loop raises for values that are not spans
    return groups
