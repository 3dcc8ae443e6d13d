"""Checks exports to Snorkel and Invariant by JSON schemas, and reads values in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from collections.abc import Iterator

    Json = dict[str, Any]

_SCALAR = {"type": ["string", "number", "boolean"]}
SNORKEL_STEP: Json = {
    "$defs": {
        "step": {
            "type": "object",
            "required": ["step_type", "metadata"],
            "additionalProperties": False,
            "anyOf": [
                {"required": ["value"]},
                {"properties": {"substeps": {"minItems": 1}}, "required": ["substeps"]},
            ],
            "properties": {
                "step_type": {"type": "string"},
                "metadata": {"type": "object", "additionalProperties": _SCALAR},
                "value": _SCALAR,
                "substeps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
                "substep_execution_type": {"enum": ["serial", "parallel"]},
                "metadata_expand": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        }
    },
    "allOf": [{"$ref": "#/$defs/step"}, {"properties": {"step_type": {"const": "ROOT_STEP"}}}],
}
"""The trace of Snorkel's documentation (25.3) as a schema."""
INVARIANT_MESSAGE: Json = {
    "type": "object",
    "required": ["role", "content"],
    "additionalProperties": False,
    "properties": {
        "role": {"type": "string"},
        "content": {"type": ["string", "array"]},
        "tool_call_id": {"type": "string"},
        "tool_calls": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "type", "function"],
                "properties": {
                    "id": {"type": "string", "minLength": 1},
                    "type": {"const": "function"},
                    "function": {
                        "type": "object",
                        "required": ["name", "arguments"],
                        "properties": {
                            "name": {"type": "string"},
                            "arguments": {"type": "object"},
                        },
                    },
                },
            },
        },
    },
}
"""The messages that Invariant Explorer's page accepts (app-ui, traceview/schema.ts)."""
_SNORKEL = Draft202012Validator(SNORKEL_STEP)
_MESSAGES = Draft202012Validator({"type": "array", "items": INVARIANT_MESSAGE, "minItems": 1})


def check_snorkel(trace: Json) -> None:
    """Raise if the value is not a valid Snorkel trace."""
    _SNORKEL.validate(trace)


def check_messages(messages: list[Json]) -> None:
    """Raise if Invariant Explorer would show the messages as an invalid trace."""
    _MESSAGES.validate(messages)


def nodes_of(trace: Json) -> Iterator[Json]:
    """Yield a trace and all steps below it."""
    waiting = [trace]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node["substeps"]


def at_address(line: Json, address: str) -> Any:
    """Return the value at ``KEY.KEY…`` in a line; ``:START-END`` is a range of UTF-16 units."""
    path, _, bounds = address.partition(":")
    here: Any = line
    for key in path.split("."):
        here = here[int(key)] if isinstance(here, list) else here[key]
    if not bounds:
        return here
    start, end = map(int, bounds.split("-"))
    return here.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le")
