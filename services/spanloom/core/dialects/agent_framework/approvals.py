"""What an agent asks a person before a tool runs, and what the person says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.values.attributes import Json

_REQUEST, _RESPONSE = "function_approval_request", "function_approval_response"


def read_question(messages: str) -> str | None:
    """Return what the last message of an answer asks to run; ``None`` if it asks nothing."""
    found = _parts(messages, _REQUEST)
    return as_question([_asked(part) for part in found]) if found else None


def read_answer(messages: str) -> str:
    """Return what the last message of a request allows or refuses; empty if it says nothing."""
    return as_question(
        [{**_asked(part), "approved": part.get("approved")} for part in _parts(messages, _RESPONSE)]
    )


def _parts(messages: str, kind: str) -> Sequence[dict[str, Json]]:
    read = json_value(messages) if kind in messages else None
    last = read[-1] if isinstance(read, list) and read else None
    parts = last.get("parts") if isinstance(last, dict) else None
    listed = parts if isinstance(parts, list) else []
    return [part for part in listed if isinstance(part, dict) and part.get("type") == kind]


def _asked(part: dict[str, Json]) -> dict[str, Json]:
    call = part.get("function_call")
    call = call if isinstance(call, dict) else {}
    return ask_to_run(call.get("name"), call.get("arguments"))
