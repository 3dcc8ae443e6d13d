"""A model server on loopback that says what the script says, and takes the run's telemetry."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from tests.pairs.script import BROKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.pairs.script import Agent, Said

MODEL = "gpt-4o-mini"


class ScriptedServer(ThreadingHTTPServer):
    """Answers ``/<agent>/v1/chat/completions`` or ``…/responses``, and keeps what is traced."""

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
        """Note that a call began, and return the note and what to answer."""
        with self.lock:
            said = self.answers[actor].pop(0)
            call = {**_told(said), "seq": len(self.calls), "actor": actor, "stream": stream}
            self.calls.append({**call, "from_ns": time.time_ns()})
            return self.calls[-1], said


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer whoever asks for a price list."""
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
            pieces = b"".join(b"data: %s\n\n" % piece for piece in _pieces(call["seq"], said))
            self._answer(200, pieces, "text/event-stream", said.takes_s if said.is_cut else 0)
        else:
            whole = whole_response if self.path.endswith("/responses") else _whole
            body = json.dumps(whole(call["seq"], said)).encode()
            self._answer(200, body, halts_s=said.takes_s if said.is_cut else 0)

    def _read_body(self) -> bytes:
        """Read what was sent, in one piece or, as Node does, in chunks."""
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
        """Send the body, its second half only after a while: by then the client may be gone."""
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
        """Keep silent."""


def _told(said: Said) -> dict[str, Any]:
    read, written = said.tokens
    usage = {"input": read, "output": written, "reasoning": said.reasoning}
    is_answered = said.status == 200 and not said.is_cut
    return {
        "model": MODEL,
        "status": said.status,
        "usage": {**usage, "cache_read": said.cached, "cache_creation": 0} if is_answered else None,
        "asks_for_tools": [asked.name for asked in said.tools],
        "text": said.text if is_answered else None,
    }


def _whole(number: int, said: Said) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.text}
    choice = {"index": 0, "finish_reason": "tool_calls" if said.tools else "stop"}
    calls = {"tool_calls": _tool_calls(said)} if said.tools else {}
    return {
        **_head(number, "chat.completion"),
        "choices": [{**choice, "message": message | calls}],
        "usage": _usage(said),
    }


def whole_response(number: int, said: Said) -> dict[str, Any]:
    """Return an answer of OpenAI's Responses API."""
    text = {"type": "output_text", "text": said.text, "annotations": []}
    own = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
    asked = [
        {
            "type": "function_call",
            "id": f"fc_{number}_{a.id}",
            "call_id": a.id,
            "name": a.name,
            "arguments": json.dumps(a.arguments),
            "status": "completed",
        }
        for a in said.tools
    ]
    read, written = said.tokens
    return {
        "id": f"resp_stops{number:03}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": MODEL,
        "output": [{**own, "content": [text]}, *asked] if said.text else asked,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": said.cached},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": said.reasoning},
            "total_tokens": read + written,
        },
    }


def _pieces(number: int, said: Said) -> Iterator[bytes]:
    head = _head(number, "chat.completion.chunk")
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": f"{word} "} for word in said.text.split()]
    if said.tools:
        deltas.append({"tool_calls": _tool_calls(said)})
    for delta in deltas:
        yield json.dumps({**head, "choices": [{"index": 0, "delta": delta}]}).encode()
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if said.tools else "stop"}
    yield json.dumps({**head, "choices": [end]}).encode()
    yield json.dumps({**head, "choices": [], "usage": _usage(said)}).encode()
    yield b"[DONE]"


def _head(number: int, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-pairs{number:03}", "object": kind, "created": 1, "model": MODEL}


def _tool_calls(said: Said) -> list[dict[str, Any]]:
    return [
        {
            "index": number,
            "id": asked.id,
            "type": "function",
            "function": {"name": asked.name, "arguments": json.dumps(asked.arguments)},
        }
        for number, asked in enumerate(said.tools)
    ]


def _usage(said: Said) -> dict[str, Any]:
    read, written = said.tokens
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": said.cached},
        "completion_tokens_details": {"reasoning_tokens": said.reasoning},
    }
