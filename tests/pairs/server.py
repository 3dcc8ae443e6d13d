"""A model server on loopback that answers as scripted, and receives the run's telemetry."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from tests.pairs.answers import note_call, stream_pieces, whole_chat, whole_response
from tests.pairs.script import BROKEN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.pairs.script import Agent, Said


class ScriptedServer(ThreadingHTTPServer):
    """Answers ``/<agent>/v1/chat/completions`` or ``…/responses``, and stores received traces."""

    daemon_threads = True

    def __init__(self, agents: Iterable[Agent]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = {agent.name: list(agent.says) for agent in agents}
        self.calls: list[dict[str, Any]] = []
        self.telemetry: list[bytes] = []
        self.lock = Lock()
        Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def begin_call(self, actor: str, *, stream: bool) -> tuple[dict[str, Any], Said]:
        """Record that a model call began; return its record and the response to send."""
        with self.lock:
            said = self.answers[actor].pop(0)
            call = {**note_call(said), "seq": len(self.calls), "actor": actor, "stream": stream}
            self.calls.append({**call, "from_ns": time.time_ns()})
            return self.calls[-1], said


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a request for a price list with an empty one."""
        self._answer(200, b"{}")

    def do_POST(self) -> None:
        body = self._read_body()
        if not self.path.endswith(("/chat/completions", "/responses")):
            if self.path.endswith("/traces"):
                self.server.telemetry.append(body)
            self._answer(200, b"")
            return
        request = json.loads(body)
        streams = bool(request.get("stream"))
        call, said = self.server.begin_call(self.path.split("/")[1], stream=streams)
        if not said.is_cut:
            time.sleep(said.takes_s)
        call["to_ns"] = time.time_ns()
        if said.status != 200:
            self._answer(said.status, json.dumps({"error": {"message": BROKEN}}).encode())
        elif streams:
            pieces = b"".join(b"data: %s\n\n" % piece for piece in stream_pieces(call["seq"], said))
            self._answer(200, pieces, "text/event-stream", said.takes_s if said.is_cut else 0)
        else:
            whole = whole_response if self.path.endswith("/responses") else whole_chat
            body = json.dumps(whole(call["seq"], said)).encode()
            self._answer(200, body, halts_s=said.takes_s if said.is_cut else 0)

    def _read_body(self) -> bytes:
        """Read the request body, whole or, as Node sends it, in chunks."""
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _answer(
        self, status: int, body: bytes, kind: str = "application/json", halts_s: float = 0
    ) -> None:
        """Send a response; wait before its second half, when the client may have left."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            time.sleep(halts_s)
            self.wfile.write(body[len(body) // 2 :])

    def log_message(self, *_: object) -> None:
        """Log nothing."""
