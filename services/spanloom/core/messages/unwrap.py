"""Unwraps requests, answers, arguments and results from the objects that frameworks add.

Each function returns the value itself (the same object) if there is nothing to unwrap; ``steps.py``
repeats the call until then, so that unwrapping the result again does not change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from spanloom.core.messages.envelopes import find_messages
from spanloom.core.messages.forms import is_message
from spanloom.core.messages.message import read_messages
from spanloom.core.model.message import find_answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.message import Json

_CALLBACK = frozenset({"tags", "metadata", "kwargs", "input_str", "name", "color"})
"""Keys that LangChain's callbacks add to ``inputs`` and ``outputs``."""
_ANSWERED = frozenset({"id", "name", "response"})
"""The keys of Gemini's response to a function call."""
_CALL = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
AROUND_ARGUMENTS = ('"inputs"', '"input_str"', '"args"', '"kwargs"')
"""Every object in which arguments are wrapped contains one of these keys."""
_AGENT_EXECUTOR = frozenset({"chat_history", "intermediate_steps", "agent_scratchpad", "history"})


def is_resuming(value: Json) -> bool:
    """Return whether a run's input is a person's answer: ``{"resume": "yes", "goto": []}``."""
    return read_resume(_inside(value, ("inputs", "input", "task"))) is not None


def read_request(value: Json) -> Json:
    """Return the user's last message: ``{"input": {"messages": [["user", "hi"]]}}`` → ``hi``."""
    value = _inside(value, ("inputs", "input", "task"))
    if (answer := read_resume(value)) is not None:
        return answer
    messages = find_messages(value, "user")
    if messages is None or not messages.items:
        return value
    request = messages.read_request()
    return messages.read() if request is None else request


def read_answer(value: Json) -> Json:
    """Return an agent's ``structured_response`` if there is one, or else its last message."""
    value = _inside(value, ("outputs", "output"))
    if isinstance(value, dict):
        if not value:  # LangSmith reports this output for a failed run
            return ""
        if (answer := value.get("structured_response")) and "messages" in value:
            return answer
        if isinstance(raw := value.get("raw"), str) and "json_dict" in value:  # CrewAI
            return raw
        if (answer := _last_of_team(value)) is not None:
            return answer
    messages = find_messages(value, "assistant")
    if messages is None or not messages.items:
        return value
    last = messages.read_last()
    answer = find_answer(last)
    return last[-1:] if answer is None else answer


def read_state_in(value: Json) -> Json:
    """Return a graph's input state; a state of only messages is reduced to the request."""
    value = _inside(value, ("inputs", "input"))
    if (answer := read_resume(value)) is not None:
        return answer
    state = _state(value, "user")
    return read_request(value) if state is None else state


def read_state_out(value: Json) -> Json:
    """Return a graph's output state; a state of only messages is reduced to the answer."""
    value = _inside(value, ("outputs", "output"))
    if isinstance(value, dict) and (answer := _last_of_team(value)) is not None:
        return answer
    state = _state(value, "assistant")
    return read_answer(value) if state is None else state


def read_arguments(value: Json) -> Json:
    """Return a tool's arguments: ``{"inputs": {"city": "Rome"}}`` → ``{"city": "Rome"}``."""
    while isinstance(value, dict):
        if "inputs" in value and value.keys() - _CALLBACK == {"inputs"}:
            inner = value["inputs"]
            value = value.get("input_str") if inner is None else inner
        elif "input_str" in value and value.keys() - _CALLBACK == set():
            value = value["input_str"]
        elif value.get("type") == "tool_call" and isinstance(value.get("args"), dict):
            value = value["args"]
        elif (inner := _called_with(value)) is not value:
            value = inner
        else:
            break
    return value


def read_result(value: Json) -> Json:
    """Return a tool's result without wrapping: ``{"output": "sunny"}`` → ``"sunny"``."""
    while True:
        inner = _inside(value, ("outputs", "output", "result"))
        if isinstance(inner, dict):
            if "raw_output" in inner and "tool_name" in inner:  # LlamaIndex
                inner = inner["raw_output"]
            elif inner.keys() == _ANSWERED:
                inner = inner["response"]
            elif is_message(inner):
                inner = _tool_content(inner)
            elif is_command(inner):
                inner = read_handover(inner)
        elif isinstance(inner, list) and len(inner) == 1:
            inner = _only_text(inner)
        if inner is value:
            return value
        value = inner


def _inside(value: Json, keys: tuple[str, ...]) -> Json:
    """Return the value nested under ``keys``, if no other data of the run is next to it."""
    while isinstance(value, dict):
        inner = _only(value, keys)
        if inner is value:
            inner = _called_with(value)
        if inner is value:
            inner = _streamed(value)
        if inner is value:
            return value
        value = inner
    return value


def _only(value: dict[str, Json], keys: tuple[str, ...]) -> Json:
    for key in keys:
        if key in value:
            own = value.keys() - _CALLBACK - _AGENT_EXECUTOR
            return value[key] if own == {key} else value
    return value


def _streamed(value: dict[str, Json]) -> Json:
    """Join the chunks of a stream, as Eino's Coze Loop callback records them."""
    pieces = value.get("stream")
    if not isinstance(pieces, list) or len(value) != 1:
        return value
    if len(pieces) == 1:
        return pieces[0]
    if texts := [piece for piece in pieces if isinstance(piece, str)]:
        return "".join(texts) if len(texts) == len(pieces) else value
    turns = [(m.get("role"), m.get("content")) for m in pieces if isinstance(m, dict)]
    texts = [text for role, text in turns if role == "assistant" and isinstance(text, str)]
    calls = any(isinstance(m, dict) and m.get("tool_calls") for m in pieces)
    if len(texts) < len(pieces) or calls or not pieces:
        return value
    return {"role": "assistant", "content": "".join(texts)}


def _called_with(value: dict[str, Json]) -> Json:
    """Return the arguments of a Python call: its keyword arguments, or a single positional one."""
    if not value or not value.keys() <= _CALL:
        return value
    args, kwargs = value.get("args"), value.get("kwargs")
    if isinstance(kwargs, dict) and not args and ("args" in value or kwargs):
        return kwargs
    if isinstance(args, list) and len(args) == 1 and not kwargs and "kwargs" in value:
        return args[0]
    return value


def _state(value: Json, role: str) -> Json:
    """Return a state with its messages converted; ``None`` if it contains only messages."""
    items = value.get("messages") if isinstance(value, dict) else None
    if isinstance(items, str) and items and role == "user":
        items = [{"role": role, "content": items}]
    if not isinstance(value, dict) or not isinstance(items, list):
        return None
    if not any(v for key, v in value.items() if key != "messages"):
        return None
    messages = find_messages(items, role)
    return value if messages is None else {**value, "messages": messages.read()}


def _last_of_team(value: dict[str, Json]) -> Json:
    """Return the last text in AutoGen's ``TaskResult``; ``None`` for any other value.

    ``{"messages": [{"source": "critic", "content": "APPROVE", "type": "TextMessage", …}],
    "stop_reason": …}``
    """
    items = value.get("messages") if value.keys() == _TASK_RESULT else None
    last = items[-1] if isinstance(items, list) and items else None
    if not isinstance(last, dict) or "source" not in last:
        return None
    is_team = str(last.get("type")).endswith("Message")
    return last.get("content") or None if is_team else None


_TASK_RESULT = frozenset({"messages", "stop_reason"})


def _tool_content(value: dict[str, Json]) -> Json:
    """Return the content of a tool's message; any other message is itself the result."""
    read = read_messages([value], "tool")
    message = read[0] if len(read) == 1 else None
    if isinstance(message, dict) and message["role"] == "tool":
        return message["content"]
    return value


def _only_text(value: list[Json]) -> Json:
    """Return the text of a list with a single text part; any other list unchanged."""
    part = value[0]
    if not isinstance(part, dict) or not isinstance(text := part.get("text"), str):
        return value
    is_plain: Mapping[str, Json] = {"type": "text", **part, "id": ""}  # LangChain adds block ids
    return text if is_plain == {"type": "text", "text": text, "id": ""} else value


_FIELDS = frozenset({"graph", "update", "resume", "goto", "lg_name"})
"""The fields of LangGraph's ``Command``; in JavaScript ``lg_name`` is the class name."""


def is_command(value: Json) -> TypeGuard[dict[str, Json]]:
    """Return whether the value is LangGraph's command: ``{"update": {…}, "goto": "sales"}``."""
    if not isinstance(value, dict) or "goto" not in value or not value.keys() <= _FIELDS:
        return False
    return not _FIELDS.isdisjoint(value.keys() - {"goto"})


def read_resume(value: Json) -> Json:
    """Return the person's answer that resumes a paused run; ``None`` if there is none."""
    return value.get("resume") if is_command(value) else None


def read_handover(command: dict[str, Json]) -> Json:
    """Return the target and the update of a handover: ``{"goto": "sales", "messages": […]}``.

    For a command without a target, return only its update.
    """
    update = command.get("update")
    if isinstance(update, dict) and isinstance(update.get("messages"), list):
        messages = find_messages(update["messages"], "tool")
        update = update if messages is None else {**update, "messages": messages.read()}
    goto = command.get("goto")
    if not goto:
        return update
    if isinstance(update, dict):
        return {"goto": goto, **update}
    if command.keys() == {"goto", "update"} and update is not None:
        return command  # unchanged, so that unwrapping it again ends
    return {"goto": goto, **({} if update is None else {"update": update})}
