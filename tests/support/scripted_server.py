"""A server on loopback in place of OpenAI's, Anthropic's and Google's models: it has a script.

A request that brings tools and no result of one is answered by a call of ``weather``; every other
one by the answer. Both have token counts of their own, so that none is counted twice unseen.
"""

from __future__ import annotations

import json
import secrets
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION = "What is the weather in Oslo?"
ANSWER = "It is sunny in Oslo."
TOOL, ARGUMENTS, RESULT = "weather", {"city": "Oslo"}, "sunny, 7 degrees"
CALL_ID = "call_weather_1"
CALL_TOKENS, ANSWER_TOKENS = (41, 13), (67, 17)
"""Read and written, by the call of the tool and by the answer."""

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
        """Say nothing: what goes wrong is said by the test."""


@contextmanager
def scripted_server() -> Iterator[str]:
    """Serve on a free port; give the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def answer_to(path: str, body: Json) -> tuple[str, list[str]]:
    """Answer a request in the form of the API that its path is of."""
    text = json.dumps(body)
    calls = bool(body.get("tools")) and RESULT not in text
    if path.endswith("/chat/completions"):
        return _sent(_chat_chunks if body.get("stream") else _chat, body["model"], calls)
    if path.endswith("/responses"):
        return _sent(_responses, body["model"], calls)
    if path.endswith("/messages"):
        return _sent(_anthropic, body["model"], calls)
    assert path.partition("?")[0].endswith(":generateContent"), path
    return _sent(_google, path.rpartition("/")[2].partition(":")[0], calls)


def _new_id() -> str:
    """Return an id of its own for each answer: frameworks know a message by it."""
    return f"made_{secrets.token_hex(8)}"


def _sent(form: Any, model: str, calls: bool) -> tuple[str, list[str]]:
    made = form(model, calls)
    if isinstance(made, list):
        events = [f"data: {json.dumps(piece)}\n\n" for piece in made]
        return "text/event-stream", [*events, "data: [DONE]\n\n"]
    return "application/json", [json.dumps(made)]


def _chat(model: str, calls: bool) -> Json:
    read, wrote = CALL_TOKENS if calls else ANSWER_TOKENS
    message: Json = {"role": "assistant", "content": None if calls else ANSWER}
    if calls:
        function = {"name": TOOL, "arguments": json.dumps(ARGUMENTS)}
        message["tool_calls"] = [{"id": CALL_ID, "type": "function", "function": function}]
    return {
        "id": _new_id(),
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": wrote,
            "total_tokens": read + wrote,
        },
    }


def _chat_chunks(model: str, calls: bool) -> list[Json]:
    whole = _chat(model, calls)
    (choice,) = whole["choices"]
    delta = choice.pop("message")
    for call in delta.get("tool_calls", ()):
        call["index"] = 0
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    return [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [end]},
        {**head, "choices": [], "usage": whole["usage"]},
    ]


def _responses(model: str, calls: bool) -> Json:
    read, wrote = CALL_TOKENS if calls else ANSWER_TOKENS
    said: Json = {
        "type": "message",
        "id": _new_id(),
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
    }
    call: Json = {
        "type": "function_call",
        "id": _new_id(),
        "call_id": CALL_ID,
        "name": TOOL,
        "arguments": json.dumps(ARGUMENTS),
        "status": "completed",
    }
    return {
        "id": _new_id(),
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": model,
        "output": [call if calls else said],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": wrote,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + wrote,
        },
    }


def _anthropic(model: str, calls: bool) -> Json:
    read, wrote = CALL_TOKENS if calls else ANSWER_TOKENS
    call = {"type": "tool_use", "id": CALL_ID, "name": TOOL, "input": ARGUMENTS}
    return {
        "id": _new_id(),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [call if calls else {"type": "text", "text": ANSWER}],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": wrote},
    }


def _google(model: str, calls: bool) -> Json:
    read, wrote = CALL_TOKENS if calls else ANSWER_TOKENS
    part = {"functionCall": {"name": TOOL, "args": ARGUMENTS}} if calls else {"text": ANSWER}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": read,
            "candidatesTokenCount": wrote,
            "totalTokenCount": read + wrote,
        },
        "modelVersion": model,
    }
