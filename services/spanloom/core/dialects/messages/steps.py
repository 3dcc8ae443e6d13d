"""What a step shows as its input and output, by what the step is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.messages import unwrap
from spanloom.core.dialects.messages.envelopes import find_messages, read_system
from spanloom.core.dialects.messages.wire import (
    UnwritableError,
    as_text,
    compact,
    parse,
    parse_composite,
)
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.message import Json
    from spanloom.core.model.normalized import Facts

TOOL_DEFINITIONS = "tool_definitions"


def show_texts(facts: Facts, kind: Kind) -> Facts:
    """Put the facts' texts into the shape of the step's kind; the same facts come back."""
    if kind is Kind.MODEL:
        _show_model_call(facts)
    elif kind is Kind.TOOL:
        facts.input = read_arguments(facts.input)
        facts.output = read_result(facts.output)
    elif kind is Kind.AGENT:
        facts.input = read_request(facts.input)
        facts.output = read_answer(facts.output)
    else:
        facts.input = read_state(facts.input, "user")
        facts.output = read_state(facts.output, "assistant")
    facts.instructions = ""
    return facts


def _show_model_call(facts: Facts) -> None:
    tools: list[Json] = []
    facts.input = read_input(facts.input, facts.instructions, tools)
    facts.output = read_output(facts.output)
    if tools and TOOL_DEFINITIONS not in facts.metadata:
        facts.metadata = {**facts.metadata, TOOL_DEFINITIONS: compact(tools)}


def read_input(text: str, instructions: str = "", tools: list[Json] | None = None) -> str:
    """Give what a model was told as a list of messages, the system prompt first."""
    try:
        return _conversation(text, "user", instructions, tools)
    except UnwritableError:
        return text


def read_output(text: str) -> str:
    """Give what a model answered as a list of messages."""
    try:
        return _conversation(text, "assistant", "", None)
    except UnwritableError:
        return text


def _conversation(text: str, role: str, instructions: str, tools: list[Json] | None) -> str:
    messages = _read_system_text(instructions) if instructions else []
    value = parse_composite(text)
    found = None if value is None else find_messages(value, role)
    if found is None:
        if text:
            messages.append({"role": role, "content": text})
    else:
        has_system = any(isinstance(m, dict) and m.get("role") == "system" for m in found.messages)
        messages = found.messages if has_system else messages + found.messages
        if tools is not None:
            tools.extend(found.tools)
    return compact(messages) if messages else ""


def _read_system_text(text: str) -> list[Json]:
    value = parse_composite(text)
    return (read_system(value) if value is not None else []) or [
        {"role": "system", "content": text}
    ]


def read_request(text: str) -> str:
    """Give what a user asked an agent for; what is no request is kept as it is."""
    return _settle(text, unwrap.read_request)


def read_answer(text: str) -> str:
    """Give an agent's final answer; what is no answer is kept as it is."""
    return _settle(text, unwrap.read_answer)


def read_state(text: str, role: str) -> str:
    """Give a graph's state; as request or answer if there are only messages in it."""
    return _settle(text, unwrap.read_state_in if role == "user" else unwrap.read_state_out)


def read_arguments(text: str) -> str:
    """Give a tool's arguments, without what frameworks wrap around them."""
    return _settle(text, unwrap.read_arguments)


def read_result(text: str) -> str:
    """Give a tool's result, without what frameworks wrap around it."""
    return _settle(text, unwrap.read_result)


MAX_LAYERS = 64
"""Each layer of quotes doubles what is inside, so no text has as many."""


def _settle(text: str, read: Callable[[Json], Json]) -> str:
    """Take layer after layer off until nothing changes; text that is no JSON stays as it is."""
    try:
        for _ in range(MAX_LAYERS):
            if text[:1] not in ("{", "[", '"'):
                break
            value = parse(text)
            shown = value if isinstance(value, str) else read(value)
            if value is None or (shown is value and not isinstance(value, str)):
                break
            if (settled := as_text(shown)) == text:
                break
            text = settled
    except UnwritableError:
        pass
    return text
