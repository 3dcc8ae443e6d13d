"""The scripted models' responses in the format of each API: a ``weather`` call, or the answer."""

from __future__ import annotations

import json
import secrets
from typing import Any

QUESTION = "What is the weather in Oslo?"
ANSWER = "It is sunny in Oslo."
TOOL, ARGUMENTS, RESULT = "weather", {"city": "Oslo"}, "sunny, 7 degrees"
CALL_ID = "call_weather_1"
CALL_TOKENS, ANSWER_TOKENS = (41, 13), (67, 17)
"""Input and output tokens of the tool call and of the answer."""

Json = dict[str, Any]


def chat(model: str, calls: bool) -> Json:
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


def chat_chunks(model: str, calls: bool) -> list[Json]:
    whole = chat(model, calls)
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


def responses(model: str, calls: bool) -> Json:
    read, wrote = CALL_TOKENS if calls else ANSWER_TOKENS
    text_message: Json = {
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
        "output": [call if calls else text_message],
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


def anthropic(model: str, calls: bool) -> Json:
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


def google(model: str, calls: bool) -> Json:
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


def _new_id() -> str:
    """Return a new id for each response, because frameworks identify messages by it."""
    return f"made_{secrets.token_hex(8)}"
