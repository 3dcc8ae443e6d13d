"""Tool approvals: the question of an agent to a person, and the person's decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.values.attributes import Json

_REQUEST, _RESPONSE = "function_approval_request", "function_approval_response"


def read_question(messages: str) -> str | None:
    """Return the tools whose approval the last output message requests; ``None`` if none."""
    requests = _parts(messages, _REQUEST)
    return as_question([_read_call(part) for part in requests]) if requests else None


def read_answer(messages: str) -> str:
    """Return the decisions in the last input message; empty if there are none."""
    decisions = _parts(messages, _RESPONSE)
    return as_question([{**_read_call(p), "approved": p.get("approved")} for p in decisions])


def _parts(messages: str, kind: str) -> Sequence[dict[str, Json]]:
    parsed = json_value(messages) if kind in messages else None
    last = parsed[-1] if isinstance(parsed, list) and parsed else None
    parts = last.get("parts") if isinstance(last, dict) else None
    listed = parts if isinstance(parts, list) else []
    return [part for part in listed if isinstance(part, dict) and part.get("type") == kind]


def _read_call(part: dict[str, Json]) -> dict[str, Json]:
    call = part.get("function_call")
    call = call if isinstance(call, dict) else {}
    return ask_to_run(call.get("name"), call.get("arguments"))
