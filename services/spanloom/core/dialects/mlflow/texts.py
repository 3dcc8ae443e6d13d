"""Request and answer of an agent, from the arguments and result of a library's method.

MLflow records all arguments of the method that it wraps, and the object that the method returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.values.attributes import Json, json_object, text_or_json

if TYPE_CHECKING:
    from spanloom.core.model.normalized import Facts

_REQUESTS = ("user_prompt", "user_msg", "task")
"""Names of the request's argument: PydanticAI, LlamaIndex, smolagents and AutoGen."""


def show_run(facts: Facts) -> None:
    """Reduce input and output of a library's method to the agent's request and answer."""
    facts.input = _request(facts.input)
    facts.output = _answer(json_object(facts.output)) or facts.output


def _request(text: str) -> str:
    arguments = json_object(text)
    return next((q for key in _REQUESTS if isinstance(q := arguments.get(key), str) and q), text)


def _answer(payload: dict[str, Json]) -> str:
    """Return the answer in the result of a library's method, else an empty text."""
    if isinstance(content := _last_of_autogen(payload), str):
        return content
    result = payload.get("result")
    if isinstance(result, dict):
        return _joined(result.get("response"))
    if "output" in payload and "_state" in payload:
        return text_or_json(payload["output"])
    return text_or_json(payload["_value"]) if payload.keys() == {"_value"} else ""


def _last_of_autogen(payload: dict[str, Json]) -> Json:
    """Return the content of AutoGen's final message: ``chat_message``, or a task's last one."""
    messages = payload.get("messages") if "stop_reason" in payload else None
    last = messages[-1] if isinstance(messages, list) and messages else payload.get("chat_message")
    return last.get("content") if isinstance(last, dict) and "source" in last else None


def _joined(message: Json) -> str:
    blocks = message.get("blocks") if isinstance(message, dict) else None
    if not isinstance(blocks, list):
        return ""
    texts = (b.get("text") for b in blocks if isinstance(b, dict))
    return "\n".join(t for t in texts if isinstance(t, str))
