"""One conversation in the message format of each API and framework.

All formats must be parsed into the same messages: a system prompt, a user's question, an answer
with reasoning, text and a tool call, and the tool's result.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Said(NamedTuple):
    """The texts of a conversation."""

    system: str
    user: str
    thought: str
    text: str
    tool: str
    arguments: dict[str, Any]
    result: str

    @property
    def arguments_text(self) -> str:
        """The arguments as models write them."""
        return json.dumps(self.arguments, ensure_ascii=False, separators=(",", ":"))


def canonical(said: Said) -> list[dict[str, Any]]:
    """Return the messages in the common format."""
    function = {"name": said.tool, "arguments": said.arguments_text}
    return [
        {"role": "system", "content": said.system},
        {"role": "user", "content": said.user},
        {
            "role": "assistant",
            "content": said.text,
            "reasoning_content": said.thought,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "content": said.result, "tool_call_id": "c1"},
    ]


def otel(said: Said) -> Any:
    call = {"type": "tool_call", "id": "c1", "name": said.tool, "arguments": said.arguments}
    return [
        {"role": "system", "parts": [{"type": "text", "content": said.system}]},
        {"role": "user", "parts": [{"type": "text", "content": said.user}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": said.thought},
                {"type": "text", "content": said.text},
                call,
            ],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": said.result}],
        },
    ]


def openai_chat(said: Said) -> Any:
    return {"model": "gpt", "messages": [{**m, "refusal": None} for m in canonical(said)]}


def openai_responses(said: Said) -> Any:
    call = {"type": "function_call", "call_id": "c1", "id": "fc_1", "name": said.tool}
    summary = [{"type": "summary_text", "text": said.thought}]
    text = {"type": "output_text", "text": said.text, "annotations": []}
    return {
        "instructions": said.system,
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": said.user}]},
            {"type": "reasoning", "id": "rs_1", "summary": summary},
            {"type": "message", "role": "assistant", "id": "msg_1", "content": [text]},
            {**call, "arguments": said.arguments_text, "status": "completed"},
            {"type": "function_call_output", "call_id": "c1", "output": said.result},
        ],
    }


def anthropic(said: Said) -> Any:
    call = {"type": "tool_use", "id": "c1", "name": said.tool, "input": said.arguments}
    thought = {"type": "thinking", "thinking": said.thought}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": said.result}
    return {
        "system": [{"type": "text", "text": said.system}],
        "messages": [
            {"role": "user", "content": said.user},
            {"role": "assistant", "content": [thought, {"type": "text", "text": said.text}, call]},
            {"role": "user", "content": [result]},
        ],
    }


def gemini(said: Said) -> Any:
    call = {"functionCall": {"id": "c1", "name": said.tool, "args": said.arguments}}
    result = {"functionResponse": {"id": "c1", "response": said.result}}
    return {
        "config": {"systemInstruction": {"parts": [{"text": said.system}]}},
        "contents": [
            {"role": "user", "parts": [{"text": said.user}]},
            {
                "role": "model",
                "parts": [{"text": said.thought, "thought": True}, {"text": said.text}, call],
            },
            {"role": "user", "parts": [result]},
        ],
    }


def bedrock(said: Said) -> Any:
    call = {"toolUse": {"toolUseId": "c1", "name": said.tool, "input": said.arguments}}
    thought = {"reasoningContent": {"reasoningText": {"text": said.thought}}}
    answer = [thought, {"text": said.text}, call]
    result = {"toolUseId": "c1", "status": "success", "content": [{"text": said.result}]}
    return {
        "system": [{"text": said.system}],
        "messages": [
            {"role": "user", "content": [{"text": said.user}]},
            {"role": "assistant", "content": answer},
            {"role": "user", "content": [{"toolResult": result}]},
        ],
    }


def _langchain(said: Said) -> list[tuple[str, dict[str, Any]]]:
    call = {"type": "tool_call", "id": "c1", "name": said.tool, "args": said.arguments}
    answer = {"content": said.text, "tool_calls": [call], "invalid_tool_calls": []}
    kwargs = {"refusal": None, "reasoning_content": said.thought}
    return [
        ("system", {"content": said.system, "type": "system"}),
        ("human", {"content": said.user, "type": "human", "id": "7", "additional_kwargs": {}}),
        ("ai", {**answer, "type": "ai", "id": "run-1", "additional_kwargs": kwargs}),
        ("tool", {"content": said.result, "type": "tool", "tool_call_id": "c1"}),
    ]


def langchain_constructors(said: Said) -> Any:
    classes = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessageChunk"}
    made = [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", classes.get(kind, "ToolMessage")],
            "kwargs": message,
        }
        for kind, message in _langchain(said)
    ]
    return {"messages": [made]}


def langchain_dicts(said: Said) -> Any:
    return [{"type": kind, "data": message} for kind, message in _langchain(said)]


def langchain_plain(said: Said) -> Any:
    return {"messages": [message for _, message in _langchain(said)]}


def langfuse(said: Said) -> Any:
    tool = {"type": "function", "function": {"name": said.tool, "parameters": {}}}
    messages = canonical(said)
    return [*messages, {"role": "tool", "content": tool}]


def vercel(said: Said) -> Any:
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": said.tool, "input": said.arguments}
    result = {"type": "tool-result", "toolCallId": "c1"}
    thought = {"type": "reasoning", "text": said.thought}
    return {
        "system": said.system,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": said.user}]},
            {"role": "assistant", "content": [thought, {"type": "text", "text": said.text}, call]},
            {
                "role": "tool",
                "content": [{**result, "output": {"type": "text", "value": said.result}}],
            },
        ],
    }


def eino_agentic(said: Said) -> Any:
    def block(kind: str, **inner: Any) -> dict[str, Any]:
        return {"type": kind, kind: inner, "extra": {"openai-item-id": "x"}}

    call = {"call_id": "c1", "name": said.tool, "arguments": said.arguments_text}
    answer = [block("reasoning", text=said.thought), block("assistant_gen_text", text=said.text)]
    result = block("function_tool_result", call_id="c1", result=said.result)
    return {
        "Messages": [
            {"role": "system", "content_blocks": [block("user_input_text", text=said.system)]},
            {"role": "user", "content_blocks": [block("user_input_text", text=said.user)]},
            {
                "role": "assistant",
                "content_blocks": [*answer, block("function_tool_call", **call)],
                "response_meta": {"token_usage": {}},
            },
            {"role": "user", "content_blocks": [result]},
        ]
    }


def openinference(said: Said) -> Any:
    """Return the messages rebuilt from the flattened keys."""
    function = {"name": said.tool, "arguments": said.arguments_text}
    thought = {"type": "reasoning", "text": said.thought}
    return [
        {"role": "system", "content": said.system},
        {"role": "user", "contents": [{"type": "text", "text": said.user}]},
        {
            "role": "assistant",
            "contents": [thought, {"type": "text", "text": said.text}],
            "tool_calls": [{"id": "c1", "function": function}],
        },
        {"role": "tool", "content": said.result, "tool_call_id": "c1"},
    ]


FORMS: list[Callable[[Said], Any]] = [
    canonical,
    otel,
    openai_chat,
    openai_responses,
    anthropic,
    gemini,
    bedrock,
    langchain_constructors,
    langchain_dicts,
    langchain_plain,
    langfuse,
    vercel,
    eino_agentic,
    openinference,
]
