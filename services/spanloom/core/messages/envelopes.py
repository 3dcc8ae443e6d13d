"""Where a text holds its messages: the bodies and states that APIs and frameworks write.

A request may be ``{"messages": …}``, LangChain's batches of it, Gemini's ``contents``, the
Responses API's ``input``, Vercel's ``prompt``; an answer ``{"choices": …}``, LangChain's
``generations``, Gemini's ``candidates``, a Responses object.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.forms import is_answer_item, is_item, is_loose, is_message
from spanloom.core.messages.message import read_messages
from spanloom.core.messages.wire import first_list, first_of, first_text
from spanloom.core.model.message import find_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.message import Json

_LISTS = ("messages", "Messages", "generations", "choices", "candidates")
_WRAPPERS = ("inputs", "outputs", "Input", "request", "response", "llm_request", "llm_response")
_SYSTEMS = ("system", "system_instruction", "systemInstruction", "instructions", "system_prompt")
_NOT_GIVEN = ("<openai.Omit object at ", "<openai.NotGiven object at ")
"""How MLflow writes the arguments that a caller of OpenAI's SDK left out."""
_ANSWER_MARKS = ("toolCalls", "tool_calls", "reasoning", "reasoningText", "finishReason")


class Found(NamedTuple):
    """The messages of a text, not read yet, and the tools that stood beside or among them."""

    items: Sequence[Json]
    role: str
    """Of items that say none."""
    tools: Sequence[Json] = ()

    def read(self) -> list[Json]:
        """Return all messages in the one shape."""
        return read_messages(self.items, self.role)

    def read_request(self) -> Json:
        """Return what the user said last, ``None`` if nothing; what came before is not read.

        Parts that follow each other are one message: a text, then the picture it asks about.
        """
        for are_parts, items in groupby(reversed(self.items), is_loose):
            for turn in [list(items)[::-1]] if are_parts else ([item] for item in items):
                if (request := find_request(read_messages(turn, self.role))) is not None:
                    return request
        return None

    def read_last(self) -> list[Json]:
        """Return the last message; of an answer that is several items, all of them."""
        is_whole = not is_message(self.items[-1]) or is_answer_item(self.items[-1])
        return read_messages(self.items if is_whole else self.items[-1:], self.role)


def find_messages(value: Json, role: str) -> Found | None:
    """Return the messages that are all the value is about; ``None`` if it holds none.

    ``role`` is that of the step's side: ``user`` for what went in, ``assistant`` for the answer.
    """
    if isinstance(value, list):
        found = _from_list(value, role)
        return found if found and found.items else None
    return _from_object(value, role) if isinstance(value, dict) else None


def _from_object(value: dict[str, Json], role: str) -> Found | None:
    if is_message(value):
        return Found([value], role)
    for key in _LISTS:
        if isinstance(items := value.get(key), list):
            found = _from_list(items, role)
            return None if found is None else _completed(found, value)
    for read in (_from_answer, _from_request):
        if (found := read(value, role)) is not None:
            return found
    for key in _WRAPPERS:
        if isinstance(inner := value.get(key), (dict, list)):
            return find_messages(inner, role)
    return None


def _from_list(items: list[Json], role: str) -> Found | None:
    """Take a list of messages, or batches of them; tools that Langfuse puts among them apart."""
    while len(items) == 1 and isinstance(items[0], list) and not is_item(items[0]):
        items = items[0]
    flat: list[Json] = []
    tools: list[Json] = []
    for item in items:
        if isinstance(item, list) and not is_item(item):
            flat.extend(item)
        elif not isinstance(item, dict) or "role" not in item:
            flat.append(_as_message(item, role))
        elif item["role"] == "tool" and (tool := _tool_definition(item)) is not None:
            tools.append(tool)
        else:
            flat.append(item)
    if not all(map(is_item, flat)):
        return None
    return Found(flat, role, tools)


def _tool_definition(item: dict[str, Json]) -> Json:
    """Return the definition in Langfuse's ``{"role": "tool", "content": {definition}}``."""
    content = item.get("content")
    if not isinstance(content, dict) or content.get("type") != "function":
        return None
    return content if isinstance(content.get("function"), dict) else None


def _as_message(item: Json, role: str) -> Json:
    """Make a message of a choice or generation that has bare text."""
    if isinstance(item, dict) and isinstance(text := item.get("text"), str):
        is_choice = "finish_reason" in item or "generation_info" in item
        if is_choice and "message" not in item:
            info = item.get("generation_info")
            finish = (info if isinstance(info, dict) else item).get("finish_reason")
            return {"role": role, "content": text, "finish_reason": finish}
    return item


def _completed(found: Found, value: dict[str, Json]) -> Found:
    """Add the system prompt and the tools that stand beside the messages."""
    tools = value.get("tools") or value.get("Tools")
    system = _system(value)
    items = [system, *found.items] if system else found.items
    return Found(items, found.role, tools if isinstance(tools, list) else found.tools)


def _system(value: dict[str, Json]) -> Json:
    content = first_of(value, _SYSTEMS)
    config = value.get("config")
    if content is None and isinstance(config, dict):
        content = first_of(config, _SYSTEMS)
    is_given = content and not (isinstance(content, str) and content.startswith(_NOT_GIVEN))
    return {"role": "system", "content": content} if is_given else None


def _from_answer(value: dict[str, Json], role: str) -> Found | None:
    output = value.get("output")
    if isinstance(output, list) and output and all(map(is_item, output)):
        return Found(output, "assistant")
    inner = value.get("Message")
    if is_message(inner):
        return Found([inner], role)
    inner = value.get("content")
    if isinstance(inner, dict) and isinstance(inner.get("parts"), list):
        return Found([value], role)
    if role == "assistant" and "text" in value and first_of(value, _ANSWER_MARKS):
        message = {_RENAMED.get(key, key): each for key, each in value.items()}
        return Found([{"role": role, **message}], role)
    return None


_RENAMED = {"text": "content", "reasoningText": "reasoning"}


def _from_request(value: dict[str, Json], role: str) -> Found | None:
    if role != "user":
        return None
    prompts = first_list(value, ("prompts", "contents", "input"))
    if prompts and all(isinstance(p, str) or is_item(p) for p in prompts):
        return _completed(Found(prompts, role), value)
    prompt = first_text(value, ("contents", "input", "prompt", "messages"))
    if prompt and (len(value) == 1 or _system(value) or "model" in value):
        return _completed(Found([prompt], role), value)
    return None
