"""Calls in words, in short."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.evaluation.subject.canonical import canonical

if TYPE_CHECKING:
    from spanloom.evaluation.subject.call import Call

MAX_CHARS = 120
"""Of a value."""


def described(call: Call) -> str:
    """Return a call as ``search({"query": "fjords"})``, or the name of another step."""
    name = call.name[:MAX_CHARS] or "(no name)"
    return f"{name}({_value(call.arguments)})" if call.type == "tool" else name


def told_apart(ours: Call, theirs: Call) -> str:
    """Return how a call is another one than that of the reference."""
    if (ours.type, ours.name) != (theirs.type, theirs.name):
        return f"is {described(ours)}, not {described(theirs)}"
    given, due = ours.arguments, theirs.arguments
    if isinstance(given, dict) and isinstance(due, dict):
        for key in sorted({*given, *due}, key=str):
            if key not in given:
                return f"is {described(ours)}: {key} is absent, not {_value(due[key])}"
            if key not in due:
                return f"is {described(ours)}: {key} is not in the reference"
            if canonical(given[key]) != canonical(due[key]):
                return f"is {described(ours)}: {key} is not {_value(due[key])}"
    return f"is {described(ours)}, not {described(theirs)}"


def _value(value: object) -> str:
    if value == {}:
        return ""
    try:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
    except (TypeError, ValueError):  # too deep, or no JSON
        return "…"
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS - 1]}…"
