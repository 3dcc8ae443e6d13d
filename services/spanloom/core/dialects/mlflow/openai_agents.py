"""Approvals of OpenAI's Agents SDK as MLflow reports them.

The input of a continued run is the state of the one that stopped, a dump of 50 kB, which contains
the questions and which calls the person approved or rejected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.openai_agents import SpanReader, ToolRun
from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.dialects.mlflow.attributes import INPUTS, OUTPUTS
from spanloom.core.dialects.mlflow.names import given_name
from spanloom.core.values.attributes import json_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

_STATE = '{"_current_turn"'
_OF_AGENTS = ("handoffs", "output_type")
"""Attributes that the SDK sets on each agent."""


def _tool(span: Span) -> ToolRun | None:
    attributes = span.attributes
    if attributes.get("mlflow.spanType") != '"TOOL"':
        return None
    result = attributes.get(OUTPUTS, "null")
    return ToolRun(given_name(span), attributes.get(INPUTS, ""), result != "null")


def _request(span: Span) -> str:
    is_call = span.attributes.get("mlflow.spanType") == '"CHAT_MODEL"'
    return span.attributes.get(INPUTS, "") if is_call else ""


TELLER = SpanReader(lambda span: all(key in span.attributes for key in _OF_AGENTS), _tool, _request)


def read_answer(run_input: str) -> str:
    """Return the person's decisions in the input of a continued run; empty for other runs."""
    if not run_input.startswith(_STATE):
        return ""
    state = json_object(run_input)
    answers = dict(_answers(_inside(state, "_context", "_approvals")))
    pending = _inside(state, "_current_step", "interruptions")
    items = [_inside(item, "raw_item") for item in pending] if isinstance(pending, list) else []
    calls = [item for item in items if isinstance(item, dict)]
    return as_question(
        [
            {
                **ask_to_run(call.get("name"), call.get("arguments")),
                "approved": answers.get(str(call.get("call_id"))),
            }
            for call in calls
        ]
    )


def _inside(value: Json, *keys: str) -> Json:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _answers(approvals: Json) -> Iterator[tuple[str, bool]]:
    """Yield the ids of tool calls that a person decided on, each with whether it is approved."""
    for decisions in approvals.values() if isinstance(approvals, dict) else ():
        for word, approved in (("approved", True), ("rejected", False)):
            ids = _inside(decisions, word)
            for call_id in ids if isinstance(ids, list) else ():
                yield str(call_id), approved
