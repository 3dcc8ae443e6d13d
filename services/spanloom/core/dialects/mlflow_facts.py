"""What MLflow's spans say, in its own attributes or in those of the GenAI conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects import genai_facts
from spanloom.core.dialects.values import Json, count, json_object, json_text, unquoted
from spanloom.core.model.normalized import Facts
from spanloom.core.model.trajectory import Kind, Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

INPUTS = "mlflow.spanInputs"
OUTPUTS = "mlflow.spanOutputs"
USAGE = "mlflow.chat.tokenUsage"
MODEL = "mlflow.llm.model"


def read_own(span: Span, kind: Kind) -> Facts:
    """Give what the span says in ``mlflow.*``."""
    said = span.attributes
    facts = Facts(input=unquoted(said.get(INPUTS, "")), output=unquoted(said.get(OUTPUTS, "")))
    if kind is Kind.MODEL:
        facts.input = _messages(json_object(facts.input).get("messages")) or facts.input
        facts.output = _messages(_answers(facts.output)) or facts.output
        facts.usage = read_usage(span)
        facts.model = unquoted(said.get(MODEL, ""))
        facts.first_token_ms = _first_token_ms(span)
    elif kind is Kind.TOOL:
        facts.tool_name = span.name
    else:
        facts.agent_name = span.name
    return facts


def read_genai(span: Span, kind: Kind) -> Facts:
    """Give what the span says in ``gen_ai.*``; the time of its first token is an event's."""
    if kind is Kind.MODEL:
        facts = genai_facts.read_model_call(span.attributes)
        facts.first_token_ms = _first_token_ms(span)
        return facts
    if kind is Kind.TOOL:
        return genai_facts.read_tool_run(span.attributes)
    return genai_facts.read_agent_run(span.attributes)


def read_usage(span: Span) -> Usage:
    """Give the call's tokens; reasoning stands elsewhere."""
    said = json_object(span.attributes.get(USAGE, ""))
    if not said:
        return genai_facts.read_usage(span.attributes)
    return Usage(
        count(said.get("input_tokens")),
        count(said.get("output_tokens")),
        0,
        count(said.get("cache_read_input_tokens")),
        count(said.get("cache_creation_input_tokens")),
    )


def read_call_metadata(span: Span) -> dict[str, str]:
    """Give the settings worth showing on a step."""
    said = span.attributes
    found = {
        "provider": unquoted(said.get("mlflow.llm.provider", "")),
        "tool_call_id": unquoted(said.get("tool_call_id", "")),
        "invocation_parameters": said.get("invocation_params", ""),
    }
    return {name: value for name, value in found.items() if value}


def _messages(value: Json) -> str:
    return json_text(value) if value and isinstance(value, list) else ""


def _answers(output: str) -> list[Json]:
    choices = json_object(output).get("choices")
    if not isinstance(choices, list):
        return []
    return [c["message"] for c in choices if isinstance(c, dict) and "message" in c]


def _first_token_ms(span: Span) -> float | None:
    times = (e.time_ns for e in span.events if e.name == "new_token" and e.time_ns >= span.start_ns)
    first_ns = next(times, None)
    return None if first_ns is None else (first_ns - span.start_ns) / 1e6
