"""Reads messages as both libraries do, by LangChain's strict converter (langchain-core 1.8).

A message needs a known role; its calls need a name, an object as arguments (or its JSON) and,
unless the role is ``assistant``, an id. Invalid messages raise ``RaisesError`` or a built-in
exception. Of content, only blocks of text, images by URL, ``tool_use`` and ``tool_result`` are
checked.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.evaluation.match.compat.content import RaisesError, calls_in, is_result, read_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "developer",
    "function": "function",
    "tool": "tool",
}
_OF_A_CALL = frozenset({"name", "args", "id"})
_NOT_READ = frozenset({"type", "extras"})
_KEYWORDS = frozenset({"message_type"})
"""A member with this name raises, because the converter has an argument with the same name."""


class ReadCall(NamedTuple):
    """A call, with its arguments converted to JSON and back."""

    name: Any
    arguments: Any
    id: Any


class Read(NamedTuple):
    """A message as the libraries read it."""

    role: str
    calls: Sequence[ReadCall] = ()
    name: str = ""


def read_messages(messages: Iterable[object]) -> Sequence[Read]:
    """Return messages as the libraries read them; raises if the libraries do."""
    return [_again(m) if isinstance(m, Read) else _read(m) for m in messages]


def _again(message: Read) -> Read:
    """Check a message that was read before, as the second conversion of the libraries does."""
    _need(message.role != "function" or bool(message.name), "a function has no name")
    for call in message.calls:
        _checked({"name": call.name, "args": call.arguments, "id": call.id})
    return message


def _read(raw: object) -> Read:
    message = dict(raw)  # type: ignore[call-overload]  # raises as the libraries do
    sender = message["role"] if "role" in message else message.get("type")
    role = _ROLES.get(sender)
    if role is None:
        raise RaisesError(f"the role {sender!r} is unknown")
    _check_members(message, role)
    calls = _read_calls(message, role)
    ids = [call.id for call in calls]
    blocks = read_content(message.get("content"), role)
    if is_result(blocks):
        return Read("tool")
    for call in calls_in(blocks, role):
        if call["id"] not in ids:
            calls.append(ReadCall(call["name"], _through_json(call["input"]), call["id"]))
    return Read(role, calls, message.get("name") or "")


def _check_members(message: Mapping[str, Any], role: str) -> None:
    name, id_ = message.get("name"), message.get("id")
    _need(_KEYWORDS.isdisjoint(message), "a member has a reserved name")
    _need(name is None or isinstance(name, str), "the name is no text")
    _need(role != "function" or name is not None, "a function has no name")
    _need(id_ is None or _is_number_or_text(id_), "the id is neither text nor number")
    metadata = message.get("response_metadata")
    _need(not metadata or isinstance(metadata, dict), "response_metadata is no object")
    if role == "tool":
        call_id = message.get("tool_call_id")
        if call_id is None and message.get("role") == "tool":
            call_id = ""
        _need(isinstance(call_id, str | int | float), "tool_call_id is neither text nor number")
        _need(message.get("status") in {None, "success", "error"}, "the status is unknown")


def _is_number_or_text(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _read_calls(message: Mapping[str, Any], role: str) -> list[ReadCall]:
    """Return the calls of an assistant; calls of other roles are checked and left out."""
    raw = message.get("tool_calls")
    is_assistant = role == "assistant"
    if raw is None or (not raw and is_assistant):
        return []
    if message.get("role") in {"ai", "assistant"}:
        raw = [{**call, "id": call.get("id", "")} for call in raw]
    calls = [_unwrapped(call) for call in raw]
    read = [_checked(call) for call in calls] if is_assistant else []
    return [ReadCall(one["name"], _through_json(one["args"]), one["id"]) for one in read]


def _unwrapped(call: Any) -> Any:  # as given
    """Return a call in LangChain's format, which a call without ``function`` has already."""
    if "function" not in call:
        return call
    arguments = call["function"]["arguments"]
    if isinstance(arguments, str):
        arguments = json.loads(arguments, strict=False)
    return {"name": call["function"]["name"], "args": arguments, "id": call["id"]}


def _checked(call: Any) -> Mapping[str, Any]:  # as given
    members = {key: value for key, value in call.items() if key not in _NOT_READ}
    _need(members.keys() == _OF_A_CALL, "a call has other members than name, args and id")
    name, args, id_ = members["name"], members["args"], members["id"]
    _need(isinstance(name, str), "the name of a call is no text")
    _need(id_ is None or isinstance(id_, str), "the id of a call is no text")
    _need(isinstance(args, dict), "the arguments of a call are no object")
    _need(all(isinstance(key, str) for key in args), "a key of the arguments is no text")
    return members


def _through_json(value: object) -> Any:  # JSON values
    return json.loads(json.dumps(value, ensure_ascii=False))


def _need(is_fine: bool, reason: str) -> None:  # raises if a check failed
    if not is_fine:
        raise RaisesError(reason)
