"""Describes calls and their differences in short phrases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.evaluation.subject.canonical import canonical

if TYPE_CHECKING:
    from spanloom.evaluation.subject.call import Call

MAX_CHARS = 120
"""Maximum characters of a value."""


def described(call: Call) -> str:
    """Return a tool call as ``search({"query": "fjords"})``, another step as its name."""
    name = call.name[:MAX_CHARS] or "(no name)"
    return f"{name}({_value(call.arguments)})" if call.type == "tool" else name


def difference_of(ours: Call, theirs: Call) -> str:
    """Return the difference between a call and a reference call as a phrase."""
    if (ours.type, ours.name) != (theirs.type, theirs.name):
        return f"is {described(ours)}, not {described(theirs)}"
    actual, due = ours.arguments, theirs.arguments
    if isinstance(actual, dict) and isinstance(due, dict):
        for key in sorted({*actual, *due}, key=str):
            if key not in actual:
                return f"is {described(ours)}: {key} is absent, not {_value(due[key])}"
            if key not in due:
                return f"is {described(ours)}: {key} is not in the reference"
            if canonical(actual[key]) != canonical(due[key]):
                return f"is {described(ours)}: {key} is not {_value(due[key])}"
    return f"is {described(ours)}, not {described(theirs)}"


def _value(value: object) -> str:
    if value == {}:
        return ""
    try:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
    except (TypeError, ValueError):  # too deep, or not JSON
        return "…"
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS - 1]}…"
