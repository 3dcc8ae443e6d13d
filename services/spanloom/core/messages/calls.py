"""Convert the tool calls of models, of every API, to the form of OpenAI's chat API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages.wire import (
    as_text,
    first_object,
    first_of,
    first_text,
    parse_composite,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.model.message import Json

NAMES = ("name", "toolName", "tool_name")
ARGUMENTS = ("arguments", "args", "input", "tool_kwargs", "function_call_arguments_json")
NO_ARGUMENTS = "{}"
"""Arguments of a call without any; some senders leave the text empty."""
IDS = ("call_id", "toolCallId", "tool_call_id", "toolUseId", "id")
"""The Responses API has both ``id`` and ``call_id``; results refer to the latter."""

_READ = frozenset({*NAMES, *ARGUMENTS, *IDS, "function", "custom", "type", "index", "status"})


def read_call(payload: dict[str, Json]) -> dict[str, Json]:
    """Return one converted call; fields other than id, name and arguments are kept."""
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
    call.update({key: value for key, value in payload.items() if value and key not in _READ})
    return call


def _unwrapped(arguments: Json) -> Json:
    """Return the invalid JSON text in OpenLLMetry's ``{"_raw": "{broken"}``."""
    if isinstance(arguments, dict) and arguments.keys() == {"_raw"}:
        return arguments["_raw"]
    return arguments


def _is_canonical(payload: dict[str, Json], function: dict[str, Json]) -> bool:
    return (
        payload.get("type") == "function"
        and payload.keys() <= _CANONICAL
        and function.keys() == _FUNCTION
        and isinstance(function["name"], str)
        and isinstance(function["arguments"], str)
        and function["arguments"] != ""
        and isinstance(payload.get("id", ""), str)
        and payload.get("id") != ""
    )


_CANONICAL = frozenset({"id", "type", "function"})
_FUNCTION = frozenset({"name", "arguments"})


def read_calls(calls: Json) -> Iterator[dict[str, Json]]:
    """Yield the converted calls of a list, of a single call, or of JSON text of either."""
    if isinstance(calls, str):
        calls = parse_composite(calls)
    if isinstance(calls, list):
        yield from (read_call(item) for item in calls if isinstance(item, dict))
    elif isinstance(calls, dict):
        yield read_call(calls)
