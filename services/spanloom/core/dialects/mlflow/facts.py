"""Reads facts from MLflow's spans, in MLflow's own attributes or in GenAI attributes.

MLflow records all arguments of the method that it wraps, and the object that the method returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions import usage
from spanloom.core.dialects.mlflow import usage as mlflow_usage
from spanloom.core.dialects.mlflow.names import COUNTS, INPUTS, OUTPUTS
from spanloom.core.model.span import Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import (
    Json,
    json_field,
    json_object,
    json_text,
    json_value,
    plain_arguments,
    text_or_json,
    unquoted,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Event, Span
    from spanloom.core.model.step import Usage

MODEL = "mlflow.llm.model"
FORMAT = "mlflow.message.format"
_ONLY_TYPE = {"output_type"}
"""The keys of an agent's output if OpenAI Agents left out the answer."""
_EXTRA_ARGUMENTS = frozenset({"sanitize_inputs_outputs"})
"""Arguments that smolagents passes to every tool in addition to the tool's own arguments."""


def read_own(span: Span, kind: Kind) -> Facts:
    """Return the facts in the attributes ``mlflow.*``."""
    attributes = span.attributes
    facts = Facts(
        input=_text(attributes.get(INPUTS, "")), output=_text(attributes.get(OUTPUTS, ""))
    )
    if kind is Kind.MODEL:
        facts.input = _messages(json_field(facts.input, "messages")) or _request(
            facts.input, attributes
        )
        facts.output = _messages(_answers(facts.output)) or facts.output
        facts.usage = read_counts(span.attributes)
        facts.model = unquoted(attributes.get(MODEL, ""))
        facts.first_token_ms = _first_token_ms(span)
    elif kind is Kind.TOOL:
        facts.input = plain_arguments(facts.input, _EXTRA_ARGUMENTS)
        facts.output = _value(facts.output)
    else:
        facts.output = "" if _says_only_type(facts.output) else facts.output
    return facts


def read_genai(span: Span, kind: Kind) -> Facts:
    """Return the facts in ``gen_ai.*``, and the time to the first token from an event."""
    if kind is Kind.MODEL:
        facts = genai_facts.read_model_call(span.attributes)
        facts.usage = read_counts(span.attributes)
        facts.first_token_ms = _first_token_ms(span)
        return facts
    if kind is Kind.TOOL:
        return genai_facts.read_tool_run(span.attributes)
    return genai_facts.read_agent_run(span.attributes)


def read_counts(attributes: Mapping[str, str]) -> Usage:
    """Return the model call's tokens from MLflow's own attribute, or else from GenAI attributes."""
    counts = json_object(attributes.get(COUNTS, ""))
    return usage.read_payload(counts) if counts else usage.read_counts(attributes)


def read_call_metadata(span: Span) -> dict[str, str]:
    """Return provider, tool call id and request settings, each only if reported."""
    attributes = span.attributes
    values = {
        "provider": unquoted(attributes.get("mlflow.llm.provider", "")),
        "tool_call_id": unquoted(attributes.get("tool_call_id", "")),
        "invocation_parameters": attributes.get("invocation_params", ""),
    }
    return {name: value for name, value in values.items() if value}


def _messages(value: Json) -> str:
    return written(value) if value and isinstance(value, list) else ""


def _request(sent: str, attributes: Mapping[str, str]) -> str:
    """Return the items sent by OpenAI Agents, with the attribute ``instructions`` before them."""
    instructions = unquoted(attributes.get("instructions", ""))
    items = json_value(sent) if instructions not in ("", "null") else None
    if not isinstance(items, list):
        return sent
    return written([{"role": "system", "content": instructions}, *items])


def _answers(output: str) -> list[Json]:
    """Return the messages of the choices, or messages made from a list of texts (DSPy)."""
    if output.startswith('["'):
        items = json_value(output)
        texts = [item for item in items if isinstance(item, str)] if isinstance(items, list) else []
        return [{"role": "assistant", "content": text} for text in texts]
    choices = json_field(output, "choices")
    if not isinstance(choices, list):
        return []
    return [c["message"] for c in choices if isinstance(c, dict) and "message" in c]


def _first_token_ms(span: Span) -> float | None:
    times = (e.time_ns for e in span.events if _is_chunk(e) and e.time_ns >= span.start_ns)
    first_ns = next(times, None)
    return None if first_ns is None else (first_ns - span.start_ns) / 1e6


def _is_chunk(event: Event) -> bool:
    return event.name == "new_token" or event.name.startswith(mlflow_usage.CHUNK)


def _text(text: str) -> str:
    """Return the text without JSON quotes; empty for ``null``."""
    return "" if text == "null" else unquoted(text)


def _value(output: str) -> str:
    """Return the result inside ``{"_value": …}``, in which MLflow wraps some results."""
    payload = json_object(output) if '"_value"' in output else {}
    return _text(json_text(payload["_value"])) if payload.keys() == {"_value"} else output


def _says_only_type(output: str) -> bool:
    return '"output_type"' in output and json_object(output).keys() == _ONLY_TYPE


_REQUESTS = ("user_prompt", "user_msg", "task")
"""Names of the request's argument in PydanticAI, LlamaIndex, smolagents and AutoGen."""


def show_run(facts: Facts) -> None:
    """Replace a library method's arguments and result by the agent's request and answer."""
    facts.input = _request_of_run(facts.input)
    facts.output = _answer_of_run(json_object(facts.output)) or facts.output


def _request_of_run(text: str) -> str:
    arguments = json_object(text)
    return next((q for key in _REQUESTS if isinstance(q := arguments.get(key), str) and q), text)


def _answer_of_run(payload: dict[str, Json]) -> str:
    """Return the answer in the result of a library's method; empty for unknown results."""
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
