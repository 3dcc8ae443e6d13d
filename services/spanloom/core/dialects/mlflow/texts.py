"""What an agent was asked and answered, out of a library's arguments and results.

MLflow writes all arguments of the method that it wraps, and the object that the method returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.values.attributes import Json, json_object, text_or_json

if TYPE_CHECKING:
    from spanloom.core.model.normalized import Facts

_ASKED = ("user_prompt", "user_msg", "task")
"""What PydanticAI, LlamaIndex, and smolagents and AutoGen call the question."""


def show_run(facts: Facts) -> None:
    """Leave the question and the answer of a run that a library's method made."""
    facts.input = _asked(facts.input)
    facts.output = _answered(json_object(facts.output)) or facts.output


def _asked(text: str) -> str:
    arguments = json_object(text)
    return next((q for key in _ASKED if isinstance(q := arguments.get(key), str) and q), text)


def _answered(payload: dict[str, Json]) -> str:
    """Return the answer in the result of a library's method, else an empty text."""
    if isinstance(said := _last_of_autogen(payload), str):
        return said
    result = payload.get("result")
    if isinstance(result, dict):
        return _joined(result.get("response"))
    if "output" in payload and "_state" in payload:
        return text_or_json(payload["output"])
    return text_or_json(payload["_value"]) if payload.keys() == {"_value"} else ""


def _last_of_autogen(payload: dict[str, Json]) -> Json:
    """Return what AutoGen's agent said last, alone or at the end of a task's messages."""
    messages = payload.get("messages") if "stop_reason" in payload else None
    last = messages[-1] if isinstance(messages, list) and messages else payload.get("chat_message")
    return last.get("content") if isinstance(last, dict) and "source" in last else None


def _joined(message: Json) -> str:
    blocks = message.get("blocks") if isinstance(message, dict) else None
    if not isinstance(blocks, list):
        return ""
    texts = (b.get("text") for b in blocks if isinstance(b, dict))
    return "\n".join(t for t in texts if isinstance(t, str))
