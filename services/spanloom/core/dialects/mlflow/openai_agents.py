"""Approvals of OpenAI's Agents SDK as MLflow tells them.

A run that goes on is called with the state of the one that stopped, a dump of 50 kB: what was
asked, and which calls the person approved or rejected, stand in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.openai_agents import Teller, ToolRun
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
"""What the SDK says of each agent."""


def _tool(span: Span) -> ToolRun | None:
    attributes = span.attributes
    if attributes.get("mlflow.spanType") != '"TOOL"':
        return None
    result = attributes.get(OUTPUTS, "null")
    return ToolRun(given_name(span), attributes.get(INPUTS, ""), result != "null")


def _request(span: Span) -> str:
    is_call = span.attributes.get("mlflow.spanType") == '"CHAT_MODEL"'
    return span.attributes.get(INPUTS, "") if is_call else ""


TELLER = Teller(lambda span: all(key in span.attributes for key in _OF_AGENTS), _tool, _request)


def read_answer(given: str) -> str:
    """Return what a person said to the run that stopped; empty if there was no such run."""
    if not given.startswith(_STATE):
        return ""
    state = json_object(given)
    answers = dict(_answers(_inside(state, "_context", "_approvals")))
    asked = _inside(state, "_current_step", "interruptions")
    items = [_inside(item, "raw_item") for item in asked] if isinstance(asked, list) else []
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
    """Yield the ids of calls that a person was asked about, and what the person said."""
    for said in approvals.values() if isinstance(approvals, dict) else ():
        for word, approved in (("approved", True), ("rejected", False)):
            ids = _inside(said, word)
            for call_id in ids if isinstance(ids, list) else ():
                yield str(call_id), approved
