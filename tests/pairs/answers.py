"""The scripted model's answers in the formats of OpenAI's chat and Responses APIs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pairs.script import Said

MODEL = "gpt-4o-mini"


def note_call(said: Said) -> dict[str, Any]:
    """Return the ground truth of a model call; an unanswered call has neither usage nor text."""
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


def whole_chat(number: int, said: Said) -> dict[str, Any]:
    """Return a complete response of OpenAI's chat API."""
    message = {"role": "assistant", "content": said.text}
    choice = {"index": 0, "finish_reason": "tool_calls" if said.tools else "stop"}
    calls = {"tool_calls": _tool_calls(said)} if said.tools else {}
    return {
        **_head(number, "chat.completion"),
        "choices": [{**choice, "message": message | calls}],
        "usage": _usage(said),
    }


def whole_response(number: int, said: Said) -> dict[str, Any]:
    """Return a complete response of OpenAI's Responses API."""
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


def stream_pieces(number: int, said: Said) -> Iterator[bytes]:
    """Yield the data of each event of a streamed response of the chat API."""
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
