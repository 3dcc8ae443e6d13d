"""Reads the spans made from messages that Invariant's SDK pushes: one for the run, one per message.

Requests are independent: an append adds messages below the run's span, whose id is derived from the
trace id. Messages are ordered by time, messages of equal time by arrival.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from spanloom.core.conventions.invariant_addresses import Addresses
from spanloom.core.conventions.listed_messages import steps_of, text_of
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.conventions.listed_messages import ListedStep, Message
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

SCOPE = "invariant"
MESSAGE = "invariant.message"
"""Attribute with a message as JSON."""
ROLE = "invariant.role"
"""Attribute with the message's role, also set if the message is not stored, or was cut."""
ARRIVED, POSITION = "invariant.arrived_ns", "invariant.position"
"""Arrival of the request, in ns since the epoch, and the message's position in it."""
ADDRESS = "invariant.address"
"""Attribute of an annotation's span: the address of the text or message that is annotated."""
DATASET = "invariant.dataset"
SOURCE = "invariant.metadata"
"""The metadata of a trace, or of a line in an import, as JSON; also a metadata key of agents."""
PARTS = "invariant.parts"
"""Metadata key of a tool's step: whether the result is a list of parts."""
CALL_ID = "invariant.call_id"
"""Metadata key of a tool's step: the id of the call that it answers, if the call is missing."""
_MOST_DIGITS = 20


def run_span_id(trace_id: bytes) -> bytes:
    """Return the id of a run's span."""
    return hashlib.sha256(b"invariant\0" + trace_id).digest()[:8]


def is_message(span: Span) -> bool:
    """Return whether a span is a message."""
    return ROLE in span.attributes and span.scope_name == SCOPE


def arrange_messages(spans: Sequence[Span]) -> Sequence[Span]:
    """Return the spans with times that keep the order of the messages, all within the run's span.

    Spans of other senders are unchanged.
    """
    messages = sorted(filter(is_message, spans), key=_place)
    if not messages:
        return spans
    times: dict[str, int] = {}
    last = -1
    for span in messages:
        last = times[span.span_id] = max(span.start_ns, last + 1)
    first = times[messages[0].span_id]
    run_id = run_span_id(bytes.fromhex(messages[0].trace_id)).hex()
    return [_settled(span, times, (run_id, first, last)) for span in spans]


def _settled(span: Span, times: Mapping[str, int], run: tuple[str, int, int]) -> Span:
    run_id, first, last = run
    if (at := times.get(span.span_id)) is not None:
        return span._replace(start_ns=at, end_ns=at)
    if span.span_id == run_id and span.scope_name == SCOPE:
        return span._replace(start_ns=first, end_ns=last)
    return span


def _place(span: Span) -> tuple[int, int, int, str]:
    attributes = span.attributes
    order = (_number(attributes.get(ARRIVED, "")), _number(attributes.get(POSITION, "")))
    return span.start_ns, *order, span.span_id


def _number(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else 0


def read_steps(tree: SpanTree) -> Mapping[str, ListedStep]:
    """Return the steps made from the messages of a trace, keyed by span id."""
    spans = _messages_in(tree)
    messages = [_message(span) for span in spans]
    steps = steps_of(messages, lambda at: spans[at].span_id)
    return {spans[step.at].span_id: step for step in steps}


def read_addresses(spans: Iterable[Span]) -> Addresses:
    """Return an index of the steps made from the spans that are messages, keyed by address."""
    found = sorted(filter(is_message, spans), key=_place)
    messages = [_message(span) for span in found]
    steps = list(steps_of(messages, lambda at: found[at].span_id))
    return Addresses(messages, steps, [found[step.at].span_id for step in steps])


def read_question_and_answer(tree: SpanTree) -> tuple[str, str]:
    """Return the first text of a user, and the last text of the assistant."""
    messages = [_message(span) for span in _messages_in(tree)]
    return _first_text(messages, "user"), _first_text(reversed(messages), "assistant")


def _messages_in(tree: SpanTree) -> Sequence[Span]:
    return [span for span in tree.spans if is_message(span)]


def _first_text(messages: Iterable[Message], role: str) -> str:
    return next((text_of(m.get("content")) for m in messages if m["role"] == role), "")


def _message(span: Span) -> Message:
    """Return the message of a span; a value that is no JSON object becomes the message's text."""
    text, role = span.attributes.get(MESSAGE, ""), span.attributes[ROLE]
    value = json_value(text)
    if not isinstance(value, dict):
        return {"role": role, "content": text}
    calls = value.get("tool_calls")
    known = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return {**value, "role": role, "tool_calls": known}
