"""A model provider on loopback in OpenAI's and Anthropic's format, with scripted answers."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Answer(NamedTuple):
    """The answer to a request."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = {}
    finish_reason: str = "stop"
    refusal: str | None = None
    hangs: bool = False
    body: bytes | None = None
    """The body, if it is not an answer in the usual format."""
    follows: bool = True
    """Whether the object also has the canary that the request requires."""


class Provider:
    """A model provider: the requests so far, and the remaining answers; the last is repeated."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        """Answer by a script."""
        self.answers = answers
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.url = ""
        self.ended = Event()

    def next(self, request: dict[str, Any], key: str) -> Answer:
        """Record a request, and return its answer."""
        self.requests.append(request)
        self.keys.append(key)
        return self.answers[min(len(self.requests), len(self.answers)) - 1]


@contextmanager
def provider_of(*answers: Answer) -> Iterator[Provider]:
    """Serve a provider; ``url`` is for ``OPENAI_BASE_URL``, without its path for Anthropic's."""
    provider = Provider(answers)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider))
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_port}/v1"
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield provider
    finally:
        provider.ended.set()
        server.shutdown()
        server.server_close()


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            answer = provider.next(json.loads(body), self.headers.get("authorization", ""))
            if answer.hangs:
                provider.ended.wait(30)
                return
            if answer.follows:
                answer = answer._replace(text=with_canary(answer.text, provider.requests[-1]))
            body_of = _message if self.path.startswith("/v1/messages") else _body
            written = answer.body if answer.body is not None else body_of(answer)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    return Handler


def with_canary(text: str, request: Mapping[str, Any]) -> str:
    """Return the text of an answer, with the canary that a request requires if it has none."""
    word = re.search(r"the word ([0-9a-f]{8}) is", json.dumps(request))
    if word is None or '"canary"' in text or not text.endswith("}"):
        return text
    return f'{text[:-1]}, "canary": "{word[1]}"}}'


def _body(answer: Answer) -> bytes:
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.text, "type": "error"}}).encode()
    message = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    return json.dumps(
        {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-4o-mini",
            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
            "usage": {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100},
        }
    ).encode()


def _message(answer: Answer) -> bytes:
    """Return an answer in the form of Anthropic."""
    if answer.status != 200:
        error = {"type": "invalid_request_error", "message": answer.text}
        return json.dumps({"type": "error", "error": error}).encode()
    ends = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
    return json.dumps(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": answer.text}],
            "stop_reason": ends[answer.finish_reason],
            "stop_sequence": None,
            "usage": {"input_tokens": 1_000, "output_tokens": 100},
        }
    ).encode()
