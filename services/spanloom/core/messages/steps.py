"""Converts the input and output of a step to the form for its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages import unwrap
from spanloom.core.messages.calls import NO_ARGUMENTS
from spanloom.core.messages.envelopes import find_messages
from spanloom.core.messages.frames import without_frames
from spanloom.core.messages.nearly import MAX_LAYERS, mend
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
from spanloom.core.values.cut_json import read_cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.message import Json
    from spanloom.core.model.span import Facts

TOOL_DEFINITIONS = "tool_definitions"
FINISH_REASONS = "finish_reasons"
"""Metadata key with the reasons why a model call ended: a JSON list, one per choice:
``["stop"]``."""
INPUT_CUT, OUTPUT_CUT = "input_cut", "output_cut"
"""Metadata keys that mark messages cut off before they arrived; the value is ``true``."""

_NOTHING = frozenset({"null", "None", '""', "''"})
"""Empty arguments, as JSON or Python writes them."""
_RESUME = "resume"
_UNREADABLE = (UnwritableError, RecursionError)
"""Raised for values that are nested too deeply; JSON strings may contain more nested JSON."""


def show_texts(facts: Facts, kind: Kind) -> None:
    """Convert the facts' input and output in place to the form for the step's kind."""
    if kind is Kind.MODEL:
        _show_model_call(facts)
    elif kind is Kind.TOOL:
        _show(facts, _checked(read_arguments(facts.input)), _checked(read_result(facts.output)))
    elif kind is Kind.AGENT:
        facts.is_resuming = facts.is_resuming or is_resuming(facts.input)
        sent = _settle(facts.input, unwrap.read_request, "user")
        received = _settle(facts.output, unwrap.read_answer, "assistant")
        _show(facts, sent, received)
        facts.input = without_frames(facts.input)
    else:
        facts.is_resuming = facts.is_resuming or is_resuming(facts.input)
        sent = _settle(facts.input, unwrap.read_state_in, "user")
        received = _settle(facts.output, unwrap.read_state_out, "assistant")
        _show(facts, sent, received)


class _Text(NamedTuple):
    """A converted text, the tool definitions next to it, and whether it was cut off."""

    text: str
    tools: str = ""
    """The tool definitions next to the messages, as compact JSON."""
    is_cut: bool = False


def _checked(text: str) -> _Text:
    """Return a tool's text, marked as cut off if it is the beginning of a JSON object or list.

    ``[INFO] done`` begins like JSON, but was not cut off.
    """
    may_be_cut = text[:1] in ("{", "[") and text[-1:] not in ("}", "]")
    return _Text(text, "", may_be_cut and bool(read_cut(text)))


def _show(facts: Facts, sent: _Text, received: _Text) -> None:
    """Set input and output, and note which of them was cut off before it arrived."""
    facts.input, facts.output = sent.text, received.text
    if sent.is_cut:
        facts.metadata = {**facts.metadata, INPUT_CUT: "true"}
    if received.is_cut:
        facts.metadata = {**facts.metadata, OUTPUT_CUT: "true"}


def _show_model_call(facts: Facts) -> None:
    sent = _converse(facts.input, "user")
    _show(facts, sent, _converse(facts.output, "assistant"))
    if sent.tools and TOOL_DEFINITIONS not in facts.metadata:
        facts.metadata = {**facts.metadata, TOOL_DEFINITIONS: sent.tools}
    reasons = facts.metadata.get(FINISH_REASONS) or _reasons_in(facts.output)
    if reasons and not reasons.startswith("["):
        reasons = compact([reasons])
    if reasons:
        facts.metadata = {**facts.metadata, FINISH_REASONS: reasons}


def _reasons_in(answer: str) -> str:
    """Return the finish reasons in the messages as a JSON list; empty if there are none."""
    if '"finish_reason":' not in answer:
        return ""
    messages = [m for m in read_conversation(answer) if isinstance(m, dict)]
    return compact([m["finish_reason"] for m in messages if "finish_reason" in m])


def read_input(text: str) -> str:
    """Return a model call's input as messages; a text without messages is returned unchanged."""
    return _converse(text, "user").text


def read_output(text: str) -> str:
    """Return a model call's output as messages; a text without messages is returned unchanged."""
    return _converse(text, "assistant").text


def _converse(text: str, role: str) -> _Text:
    """Return the messages as compact JSON; a text without messages is returned unchanged."""
    is_cut = False
    try:
        value = text.value if isinstance(text, Written) else parse_composite(text)
        if value is None:
            text, value, is_cut = mend(text, role)
        if role == "user" and value == []:
            return _Text("")
        if value and isinstance(value, list) and all(map(is_settled, value)):
            return _Text(str(text) if isinstance(text, Written) else compact(value), "", is_cut)
        messages = None if value is None else find_messages(value, role)
        if messages is not None:
            converted = messages.read()
            tools = compact(list(messages.tools)) if messages.tools else ""
            return _Text(compact(converted) if converted else "", tools, is_cut)
    except _UNREADABLE:
        pass
    if text.startswith(CONVERSATION_START):  # nested too deeply, so it counts as plain text
        return _Text(make_message(text, role))
    return _Text(str(text), "", is_cut)


def is_resuming(text: str) -> bool:
    """Return whether a run's input is a person's answer that resumes a paused run."""
    if _RESUME not in text:
        return False
    value: Json = str(text)
    for _ in range(MAX_LAYERS):
        if not isinstance(value, str):
            break
        value = parse(value)
    return unwrap.is_resuming(value)


def read_request(text: str) -> str:
    """Return a user's request to an agent; any other text is returned unchanged."""
    return _settle(text, unwrap.read_request, "user").text


def read_answer(text: str) -> str:
    """Return an agent's final answer; any other text is returned unchanged."""
    return _settle(text, unwrap.read_answer, "assistant").text


def read_state(text: str, role: str) -> str:
    """Return a graph's state; a state of only messages is reduced to the request or answer."""
    read = unwrap.read_state_in if role == "user" else unwrap.read_state_out
    return _settle(text, read, role).text


def read_arguments(text: str) -> str:
    """Return a tool's arguments without the objects in which frameworks wrap them."""
    if text[:1] == "{" and not any(map(text.__contains__, unwrap.AROUND_ARGUMENTS)):
        return str(text)  # the most common form by far, returned without parsing
    found = text if text in _NOTHING else _settle(text, unwrap.read_arguments).text
    return NO_ARGUMENTS if found in _NOTHING else found


def read_result(text: str) -> str:
    """Return a tool's result without the objects in which frameworks wrap it."""
    return _settle(text, unwrap.read_result).text


def _settle(text: str, read: Callable[[Json], Json], role: str = "") -> _Text:
    """Apply ``read`` until it changes nothing; text that is not JSON is returned unchanged.

    If ``role`` is set, messages that were cut off or are a Python repr are read too; ``role`` is
    their default role.
    """
    is_cut = False
    try:
        value: Json = None
        for _ in range(MAX_LAYERS):
            if value is None and text[:1] in ("{", "[", '"'):
                value = parse(text)
            if value is None and role:
                text, value, is_short = mend(text, role)
                is_cut = is_cut or is_short
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
    return _Text(str(text), "", is_cut)
