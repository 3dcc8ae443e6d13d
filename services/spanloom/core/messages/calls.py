"""Converts tool calls of messages from any API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.wire import (
    as_text,
    first_object,
    first_of,
    first_text,
    parse_composite,
)
from spanloom.core.values.attributes import unquoted
from spanloom.core.values.python_repr import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.message import Json

NAMES = ("name", "toolName", "tool_name")
ARGUMENTS = ("arguments", "args", "input", "tool_kwargs", "function_call_arguments_json")
NO_ARGUMENTS = "{}"
"""The arguments of a tool call without arguments, which some senders write as empty text."""
IDS = ("call_id", "toolCallId", "tool_call_id", "toolUseId", "id", "ref")
"""Keys of a tool call's id, in order of preference; results in the Responses API refer to
``call_id``."""

_READ_OF_CALL = frozenset(
    {*NAMES, *ARGUMENTS, *IDS, "function", "custom", "type", "index", "status"}
)


def read_call(payload: dict[str, Json]) -> dict[str, Json]:
    """Return the converted tool call; fields other than id, name and arguments are unchanged."""
    function = first_object(payload, ("function", "custom")) or payload
    if function is not payload and _is_canonical(payload, function):
        return payload
    call: dict[str, Json] = {}
    if (call_id := first_of(payload, IDS)) is not None:
        call["id"] = as_text(call_id)
    call["type"] = "function"
    call["function"] = {
        "name": first_text(function, NAMES),
        "arguments": as_text(_unwrapped(first_of(function, ARGUMENTS))) or NO_ARGUMENTS,
    }
    call.update(
        {key: value for key, value in payload.items() if value and key not in _READ_OF_CALL}
    )
    return call


def _unwrapped(arguments: Json) -> Json:
    """Return arguments decoded to the JSON of an object or a list, if they were encoded repeatedly.

    Python's ``{'a': None}`` becomes JSON. For OpenLLMetry's ``{"_raw": "{broken"}``, return the
    invalid JSON text in it.
    """
    if isinstance(arguments, dict) and arguments.keys() == {"_raw"}:
        return arguments["_raw"]
    if isinstance(arguments, str) and arguments.startswith('"') and arguments.endswith('"'):
        inner = arguments
        while (text := unquoted(inner)) is not inner:  # each layer is shorter
            inner = text
        return inner if parse_composite(inner) is not None else arguments
    if isinstance(arguments, str) and arguments.startswith("{'"):
        return as_json(arguments)
    return arguments


def _is_canonical(payload: dict[str, Json], function: dict[str, Json]) -> bool:
    return (
        payload.get("type") == "function"
        and payload.keys() <= _CANONICAL
        and function.keys() == _FUNCTION
        and isinstance(function["name"], str)
        and isinstance(function["arguments"], str)
        and function["arguments"][:1] not in ("", '"')
        and function["arguments"][:2] != "{'"
        and isinstance(payload.get("id", ""), str)
        and payload.get("id") != ""
    )


_CANONICAL = frozenset({"id", "type", "function"})
_FUNCTION = frozenset({"name", "arguments"})


def read_calls(calls: Json) -> Iterator[dict[str, Json]]:
    """Yield the converted tool calls of a list, of a single call, or of JSON text of either."""
    if isinstance(calls, str):
        calls = parse_composite(calls)
    if isinstance(calls, list):
        yield from (read_call(item) for item in calls if isinstance(item, dict))
    elif isinstance(calls, dict):
        yield read_call(calls)
