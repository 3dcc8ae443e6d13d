"""A small receiver of OTLP over HTTP on loopback, for agents in other processes."""

from __future__ import annotations

import gzip
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import orjson
from google.protobuf.message import DecodeError

from spanloom.core.formats.otlp import resource_spans_json
from spanloom.testing.blocks import blocks_of_process

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from spanloom.core.formats.json_bytes import Json

_PREFIX = "OTEL_EXPORTER_OTLP_"
_SIGNALS = ("TRACES_", "LOGS_", "METRICS_")
_OVERRIDING = ("ENDPOINT", "PROTOCOL", "HEADERS", "COMPRESSION", "CERTIFICATE", "INSECURE")
MAX_BODY = 64 << 20
"""Bytes of a request, unpacked."""
_FLUSH_MS = "200"
"""By default a sender waits five seconds for more spans."""


class Receiver:
    """The address of a receiver."""

    def __init__(self, port: int) -> None:
        """Keep the port on 127.0.0.1."""
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def __str__(self) -> str:
        """Return the URL."""
        return self.url

    def set_variables(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Set the variables that exporters read, also in processes that are started."""
        for name in (
            f"{_PREFIX}{signal}{key}" for signal in ("", *_SIGNALS) for key in _OVERRIDING
        ):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
        monkeypatch.setenv(f"{_PREFIX}ENDPOINT", self.url)
        monkeypatch.setenv(f"{_PREFIX}PROTOCOL", "http/protobuf")
        monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", _FLUSH_MS)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive on a free port of loopback; what comes belongs to the block that is open."""
    blocks = blocks_of_process()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
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

    def do_POST(self) -> None:  # its name is that of the method
        try:
            body = self._body()
            if self.path.endswith("/v1/traces"):
                blocks_of_process().receive(_groups(body, is_json=self._is_json))
        except (DecodeError, ValueError, OSError, EOFError) as error:
            self._answer(400, f"no OTLP: {error}".encode(errors="replace"))
        else:
            self._answer(200, b"{}" if self._is_json else b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Print nothing."""

    @property
    def _is_json(self) -> bool:
        return self.headers.get_content_type() == "application/json"

    def _body(self) -> bytes:
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MAX_BODY))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        kind = "application/json" if self._is_json else "application/x-protobuf"
        self.send_header("Content-Type", kind if status == 200 else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _groups(body: bytes, *, is_json: bool) -> Sequence[Json]:
    if not is_json:
        return [orjson.loads(group) for group in resource_spans_json(body)]
    found = orjson.loads(body)
    groups = found.get("resourceSpans") if isinstance(found, dict) else None
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise ValueError("resourceSpans is a list of objects")
    return groups
