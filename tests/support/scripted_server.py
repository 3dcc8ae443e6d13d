"""A scripted loopback server in place of OpenAI's, Anthropic's and Google's models.

A request with tools but without a tool result gets a call of ``weather``; every other one gets the
answer. The two have different token counts, so that double counting is noticed.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.support import scripted_answers as answers

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # named by http.server
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        kind, pieces = answer_to(self.path, body)
        self.send_response(200)
        self.send_header("content-type", kind)
        text = "".join(pieces).encode()
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Log nothing, because the test reports failures."""


@contextmanager
def scripted_server() -> Iterator[str]:
    """Serve on a free port; yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def answer_to(path: str, body: Json) -> tuple[str, list[str]]:
    """Return the response to a request, in the format of the API of its path."""
    text = json.dumps(body)
    calls = bool(body.get("tools")) and answers.RESULT not in text
    if path.endswith("/chat/completions"):
        return _sent(
            answers.chat_chunks if body.get("stream") else answers.chat, body["model"], calls
        )
    if path.endswith("/responses"):
        return _sent(answers.responses, body["model"], calls)
    if path.endswith("/messages"):
        return _sent(answers.anthropic, body["model"], calls)
    assert path.partition("?")[0].endswith(":generateContent"), path
    return _sent(answers.google, path.rpartition("/")[2].partition(":")[0], calls)


def _sent(form: Any, model: str, calls: bool) -> tuple[str, list[str]]:
    made = form(model, calls)
    if isinstance(made, list):
        events = [f"data: {json.dumps(piece)}\n\n" for piece in made]
        return "text/event-stream", [*events, "data: [DONE]\n\n"]
    return "application/json", [json.dumps(made)]
