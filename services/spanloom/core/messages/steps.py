"""What a step shows as its input and output, by what the step is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.messages import unwrap
from spanloom.core.messages.calls import NO_ARGUMENTS
from spanloom.core.messages.envelopes import find_messages
from spanloom.core.messages.plain import is_settled
from spanloom.core.messages.wire import (
    UnwritableError,
    as_text,
    compact,
    parse,
    parse_composite,
)
from spanloom.core.model.message import CONVERSATION_START, make_message, read_conversation
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Written

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.message import Json
    from spanloom.core.model.normalized import Facts

TOOL_DEFINITIONS = "tool_definitions"
FINISH_REASONS = "finish_reasons"
"""Why a call ended, a JSON list with one reason a choice: ``["stop"]``."""

_NOTHING = frozenset({"null", "None", '""', "''"})
"""Arguments of a tool that takes none, as JSON or Python writes them."""
_RESUME = "resume"
_UNREADABLE = (UnwritableError, RecursionError)
"""Texts inside texts may nest deeper than any one of them."""


def show_texts(facts: Facts, kind: Kind) -> None:
    """Put the facts' texts into the shape of the step's kind."""
    if kind is Kind.MODEL:
        _show_model_call(facts)
    elif kind is Kind.TOOL:
        facts.input = read_arguments(facts.input)
        facts.output = read_result(facts.output)
    elif kind is Kind.AGENT:
        facts.is_resuming = facts.is_resuming or is_resuming(facts.input)
        facts.input = read_request(facts.input)
        facts.output = read_answer(facts.output)
    else:
        facts.is_resuming = facts.is_resuming or is_resuming(facts.input)
        facts.input = read_state(facts.input, "user")
        facts.output = read_state(facts.output, "assistant")


def _show_model_call(facts: Facts) -> None:
    facts.input, tools = _converse(facts.input, "user")
    facts.output, _ = _converse(facts.output, "assistant")
    if tools and TOOL_DEFINITIONS not in facts.metadata:
        facts.metadata = {**facts.metadata, TOOL_DEFINITIONS: tools}
    reasons = facts.metadata.get(FINISH_REASONS) or _reasons_in(facts.output)
    if reasons and not reasons.startswith("["):
        reasons = compact([reasons])
    if reasons:
        facts.metadata = {**facts.metadata, FINISH_REASONS: reasons}


def _reasons_in(answer: str) -> str:
    """Return why the choices ended, where the messages alone tell it."""
    if '"finish_reason":' not in answer:
        return ""
    messages = [m for m in read_conversation(answer) if isinstance(m, dict)]
    return compact([m["finish_reason"] for m in messages if "finish_reason" in m])


def read_input(text: str) -> str:
    """Return the messages of what a model was told; what are no messages is kept as it is."""
    return _converse(text, "user")[0]


def read_output(text: str) -> str:
    """Return the messages of what a model answered; what are no messages is kept as it is."""
    return _converse(text, "assistant")[0]


def _converse(text: str, role: str) -> tuple[str, str]:
    """Return the messages, and the tools that stood among them, as compact JSON."""
    try:
        value = text.value if isinstance(text, Written) else parse_composite(text)
        if value and isinstance(value, list) and all(map(is_settled, value)):
            return str(text) if isinstance(text, Written) else compact(value), ""
        found = None if value is None else find_messages(value, role)
        if found is not None:
            messages = found.read()
            tools = compact(list(found.tools)) if found.tools else ""
            return compact(messages) if messages else "", tools
    except _UNREADABLE:
        pass
    if text.startswith(CONVERSATION_START):  # cut off, or nested too deep: a text like any other
        return make_message(text, role), ""
    return str(text), ""


def is_resuming(text: str) -> bool:
    """Return whether a run was given a person's answer, with which a paused one goes on."""
    if _RESUME not in text:
        return False
    value: Json = str(text)
    for _ in range(MAX_LAYERS):
        if not isinstance(value, str):
            break
        value = parse(value)
    return unwrap.is_resuming(value)


def read_request(text: str) -> str:
    """Return what a user asked an agent for; what is no request is kept as it is."""
    return _settle(text, unwrap.read_request)


def read_answer(text: str) -> str:
    """Return an agent's final answer; what is no answer is kept as it is."""
    return _settle(text, unwrap.read_answer)


def read_state(text: str, role: str) -> str:
    """Return a graph's state; as request or answer if there are only messages in it."""
    return _settle(text, unwrap.read_state_in if role == "user" else unwrap.read_state_out)


def read_arguments(text: str) -> str:
    """Return a tool's arguments, without what frameworks wrap around them."""
    if text[:1] == "{" and not any(map(text.__contains__, unwrap.AROUND_ARGUMENTS)):
        return str(text)  # the commonest by far, and not parsed
    if text in _NOTHING:
        return NO_ARGUMENTS
    return _settle(text, unwrap.read_arguments)


def read_result(text: str) -> str:
    """Return a tool's result, without what frameworks wrap around it."""
    return _settle(text, unwrap.read_result)


MAX_LAYERS = 64
"""Each layer of quotes doubles what is inside, so no text has as many."""


def _settle(text: str, read: Callable[[Json], Json]) -> str:
    """Take layer after layer off until nothing changes; text that is no JSON stays as it is."""
    try:
        value: Json = None
        for _ in range(MAX_LAYERS):
            if value is None and text[:1] in ("{", "[", '"'):
                value = parse(text)
            if value is None:
                break
            shown = value if isinstance(value, str) else read(value)
            if shown is value and not isinstance(value, str):
                break
            if (settled := as_text(shown)) == text:
                break
            text, value = settled, shown if isinstance(shown, (dict, list)) else None
    except _UNREADABLE:
        pass
    return str(text)
