"""Finds the messages in request bodies, responses and states of APIs and frameworks.

A request may be ``{"messages": …}``, LangChain's batches of requests, Gemini's ``contents``, the
Responses API's ``input``, or Vercel's ``prompt``; a response may be ``{"choices": …}``, LangChain's
``generations``, Gemini's ``candidates``, or a Responses object.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.forms import is_answer_item, is_item, is_loose, is_message, is_pair
from spanloom.core.messages.message import read_messages
from spanloom.core.messages.wire import first_list, first_of, first_text, parse_written
from spanloom.core.model.message import find_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.message import Json

_OBJECT = re.compile(r"""[\[<]?[A-Z]\w*(?:\(\w+=|\sobject\s)|[\[{]+["']""")
"""The beginning of the repr of an object, or of JSON."""
_LISTS = ("messages", "Messages", "generations", "choices", "candidates")
_WRAPPERS = (
    *("inputs", "outputs", "Input", "request", "response", "llm_request", "llm_response"),
    "result",
)
_CHAT_ITEMS = ("message", "function_call", "function_call_output")
"""Types of items in LiveKit's chat context that are messages."""
_SYSTEMS = ("system", "system_instruction", "systemInstruction", "instructions", "system_prompt")
_OMITTED = ("<openai.Omit object at ", "<openai.NotGiven object at ")
"""Reprs of arguments that a caller of OpenAI's SDK omitted, as MLflow writes them."""
_ANSWER_MARKS = ("toolCalls", "tool_calls", "reasoning", "reasoningText", "finishReason")


class UnreadMessages(NamedTuple):
    """The unconverted messages of a text, and the tool definitions found next to them."""

    items: Sequence[Json]
    role: str
    """The role of items that do not state their role."""
    tools: Sequence[Json] = ()

    def read(self) -> list[Json]:
        """Convert and return all messages."""
        return read_messages(self.items, self.role)

    def read_request(self) -> Json:
        """Return the content of the user's last message, or ``None``; read no earlier message.

        Consecutive parts outside of messages form one message: an image and a text about it.
        """
        for are_parts, items in groupby(reversed(self.items), is_loose):
            for turn in [list(items)[::-1]] if are_parts else ([item] for item in items):
                if (request := find_request(read_messages(turn, self.role))) is not None:
                    return request
        return None

    def read_last(self) -> list[Json]:
        """Return the last message, converted.

        Return all messages if the last one may be only an item of an answer.
        """
        is_whole = not is_message(self.items[-1]) or is_answer_item(self.items[-1])
        return read_messages(self.items if is_whole else self.items[-1:], self.role)


def find_messages(value: Json, role: str) -> UnreadMessages | None:
    """Return the messages in a list or request; ``None`` for a value without messages.

    ``role`` is the default role: ``user`` for an input, ``assistant`` for an output.
    """
    if isinstance(value, list):
        messages = _from_list(value, role)
        return messages if messages and messages.items else None
    return _from_object(value, role) if isinstance(value, dict) else None


def _from_object(value: dict[str, Json], role: str) -> UnreadMessages | None:
    if is_message(value):
        return UnreadMessages([value], role)
    for key in _LISTS:
        if isinstance(items := value.get(key), list):
            if key == "messages" and role == "user":
                items = _as_questions(items)
            messages = _from_list(items, role)
            return None if messages is None else _completed(messages, value)
    for read in (_from_answer, _from_request):
        if (messages := read(value, role)) is not None:
            return messages
    for key in _WRAPPERS:
        if isinstance(inner := value.get(key), (dict, list)):
            return find_messages(inner, role)
    return None


def _as_questions(items: list[Json]) -> list[Json]:
    """Return the messages of a request; LangChain treats a bare text as a user's message."""
    if not any(isinstance(item, str) for item in items) or is_pair(items):
        return items
    return [{"role": "user", "content": m} if _is_question(m) else m for m in items]


def _is_question(value: Json) -> bool:
    """Return whether the value is text, but not a repr such as ``ChatMessage(role=…)``."""
    return isinstance(value, str) and value != "" and _OBJECT.match(value) is None


def _from_list(items: list[Json], role: str) -> UnreadMessages | None:
    """Read a list of messages or batches; collect the tool definitions that Langfuse adds to it."""
    while len(items) == 1 and isinstance(items[0], list) and not is_item(items[0]):
        items = items[0]
    flat: list[Json] = []
    tools: list[Json] = []
    for item in items:
        if isinstance(item, dict) and "role" in item:
            if item["role"] == "tool" and (tool := _tool_definition(item)) is not None:
                tools.append(tool)
            else:
                flat.append(item)
        elif isinstance(item, list) and not is_item(item):
            flat.extend(item)
        elif isinstance(item, dict) and (output := _response_items(item)) is not None:
            flat.extend(output)
        else:
            flat.append(_as_message(item, role))
    if not all(map(is_item, flat)):
        return None
    return UnreadMessages(flat, role, tools)


def _response_items(item: dict[str, Json]) -> list[Json] | None:
    """Return the output items of a Responses object; ``None`` for any other item."""
    return first_list(item, ("output",)) if item.get("object") == "response" else None


def _tool_definition(item: dict[str, Json]) -> Json:
    """Return the tool definition in Langfuse's ``{"role": "tool", "content": {definition}}``."""
    content = item.get("content")
    if not isinstance(content, dict) or content.get("type") != "function":
        return None
    return content if isinstance(content.get("function"), dict) else None


def _as_message(item: Json, role: str) -> Json:
    """Convert a choice with bare text, or JSON text, to a message; return others unchanged."""
    if isinstance(item, str):
        return message if is_message(message := parse_written(item)) else item
    if isinstance(item, dict) and isinstance(text := item.get("text"), str):
        is_choice = "finish_reason" in item or "generation_info" in item
        if is_choice and "message" not in item:
            info = item.get("generation_info")
            finish = (info if isinstance(info, dict) else item).get("finish_reason")
            return {"role": role, "content": text, "finish_reason": finish}
    return item


def _completed(messages: UnreadMessages, value: dict[str, Json]) -> UnreadMessages:
    """Add the system prompt and tool definitions from other fields of the request."""
    tools = value.get("tools") or value.get("Tools")
    system = _system(value)
    items = [system, *messages.items] if system else messages.items
    return UnreadMessages(
        items, messages.role, tools if isinstance(tools, list) else messages.tools
    )


def _system(value: dict[str, Json]) -> Json:
    content = first_of(value, _SYSTEMS)
    config = value.get("config")
    if content is None and isinstance(config, dict):
        content = first_of(config, _SYSTEMS)
    is_present = content and not (isinstance(content, str) and content.startswith(_OMITTED))
    return {"role": "system", "content": content} if is_present else None


def _from_answer(value: dict[str, Json], role: str) -> UnreadMessages | None:
    output = value.get("output")
    if isinstance(output, list) and output and all(map(is_item, output)):
        return UnreadMessages(output, "assistant")
    inner = value.get("Message")
    if is_message(inner):
        return UnreadMessages([inner], role)
    inner = value.get("content")
    if isinstance(inner, dict) and isinstance(inner.get("parts"), list):
        return UnreadMessages([value], role)
    if role == "assistant" and "text" in value and first_of(value, _ANSWER_MARKS):
        message = {_RENAMED.get(key, key): each for key, each in value.items()}
        return UnreadMessages([{"role": role, **message}], role)
    return None


def _is_chat_item(item: Json) -> bool:
    return isinstance(item, dict) and item.get("type") in _CHAT_ITEMS and is_item(item)


_RENAMED = {"text": "content", "reasoningText": "reasoning"}


def _from_request(value: dict[str, Json], role: str) -> UnreadMessages | None:
    if role != "user":
        return None
    items = value.get("items")
    if isinstance(items, list) and any(map(_is_chat_item, items)):
        return UnreadMessages([item for item in items if _is_chat_item(item)], role)
    prompts = first_list(value, ("prompts", "contents", "input"))
    if prompts and all(isinstance(p, str) or is_item(p) for p in prompts):
        return _completed(UnreadMessages(prompts, role), value)
    prompt = first_text(value, ("contents", "input", "prompt", "messages"))
    is_text = _is_question(value.get("messages"))  # LangChain treats it as the user's message
    if prompt and (is_text or len(value) == 1 or _system(value) or "model" in value):
        return _completed(UnreadMessages([prompt], role), value)
    return None
