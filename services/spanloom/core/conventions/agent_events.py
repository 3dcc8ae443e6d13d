"""Reads the events of coding agents, whose values may be under several keys.

Coding agents write a log record for each prompt, request, tool call and so on. The service stores
such a record as an event of its span, or, if it has no span, as a *bare span* (``log.bridge``). The
end of the event's name gives its kind, for any sender: ``codex.user_prompt``.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.agent_logs import (
    BRIDGED,
    CONVERSATION_KEYS,
    ERROR,
    EVENT_NAME,
    PROMPT_KEYS,
    is_of_known_sender,
    start_of,
)
from spanloom.core.conventions.agent_records import What, what_is_named
from spanloom.core.conventions.usage import has_counts, read_counts, read_total
from spanloom.core.values.attributes import decimal, first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage
    from spanloom.core.model.tree import SpanTree


_OF_STREAM = ("sse_event", "conversation_turn")
"""Suffixes of the names of stream chunks: only a chunk with token counts or an error is used."""
_BEGINNING = frozenset({"started", "start", "running", "begin", "spawned"})
CALL_IDS = (
    *("call_id", "tool_use_id", "tool_call_id", "gen_ai.tool.call.id", "gen_ai.tool.call_id"),
    *("callId", "tool.id"),
)
TOOLS = ("tool_name", "function_name", "gen_ai.tool.name", "tool.name", "name", "tool")
ARGUMENTS = (
    *("tool_input", "arguments", "function_args", "gen_ai.tool.call.arguments", "tool_args"),
    *("args", "tool_parameters", "input", "parameters"),
)
RESULTS = ("output", "gen_ai.tool.call.result", "tool_output", "tool_result", "result", "content")
PROMPTS = ("prompt", "user_prompt", "prompt_text", "message", "text", "content")
PROMPT_IDS = (*PROMPT_KEYS, "turn.id", "turn_id")
SESSIONS = (*CONVERSATION_KEYS, "session_id", "conversation_id", "thread_id")
REQUEST_IDS = ("request_id", "response_id", "gen_ai.response.id", "request.id")
AGENTS = ("agent.name", "subagent_name", "agent_name", "agent_type", "subagent_type")
MODELS = ("gen_ai.response.model", "gen_ai.request.model", "model", "model_name", "model.name")
SENT = ("request_text", "gen_ai.input.messages", "messages", "request")
RECEIVED = ("response_text", "gen_ai.output.messages", "response", "output", "text")
BODY = ("body",)
"""Key of a record's body: a request, a response, an unknown sender's text, or a text for people."""
MESSAGES = ("error.message", "error_message", "error", "message")
TYPES = ("error.type", "error_type")
STATUSES = ("http.response.status_code", "http.status_code", "status_code")
COSTS = ("cost_usd", "cost.usd", "cost", "totalCost")
FIRST_TOKENS = ("ttft_ms", "time_to_first_token_ms")
_COUNTS = ("gen_ai.usage.", "usage.", "")
"""Prefixes of keys of token counts; a key without a prefix must contain the word ``token``."""
HIDDEN = frozenset({"<REDACTED>", "[REDACTED]", "REDACTED"})


class Event(NamedTuple):
    """One event of a coding agent."""

    time_ns: int
    name: str
    what: What
    attributes: Mapping[str, str]
    holder: Span
    """The span that has the event; for a record without a span, the span made from the record."""
    is_bare: bool

    def get(self, keys: Sequence[str]) -> str:
        """Return the first non-empty value under ``keys``; empty if missing or redacted."""
        value = first(self.attributes, *keys)
        return "" if value in HIDDEN else value

    def text(self, keys: Sequence[str]) -> str:
        """Return the first value under ``keys``, or else the body if the sender is unknown."""
        own = self.get(keys)
        return own if own or is_of_known_sender(self.name) else self.get(BODY)

    @property
    def usage(self) -> Usage | None:
        """The token counts of the reported model call; ``None`` if the event has none."""
        return read_counts(self.attributes, _COUNTS) if has_counts(self.attributes) else None

    @property
    def total(self) -> int:
        """The reported sum of all tokens; 0 if not reported."""
        return read_total(self.attributes, _COUNTS)

    @property
    def status(self) -> int:
        """The HTTP status of the reported model call; 0 if not reported."""
        text = self.get(STATUSES)
        return int(text) if text.isdecimal() and len(text) == _STATUS_DIGITS else 0

    @property
    def start_ns(self) -> int:
        """Start of the reported operation, in nanoseconds since the epoch."""
        return self.holder.start_ns if self.is_bare else start_of(self.time_ns, self.attributes)


_STATUS_DIGITS = 3


def is_bare(span: Span) -> bool:
    """Return whether a span was made from a log record that belonged to no span."""
    return BRIDGED in span.attributes


def name_of(span: Span) -> str:
    """Return the event name of a span made from a log record."""
    return span.attributes.get(EVENT_NAME) or span.name


def read_moment(text: str) -> int:
    """Return an RFC 3339 time in ns since the epoch; 0 for any other text."""
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return 0
    if moment is None or moment.tzinfo is None:
        return 0
    return round(moment.timestamp() * 1e6) * 1000


def what_of(name: str, attributes: Mapping[str, str]) -> What | None:
    """Return the kind of an event; ``None`` for events that are ignored."""
    what = what_is_named(name)
    if name.endswith(_OF_STREAM) and not has_counts(attributes):
        return What.FAILURE if attributes.get(ERROR) else None
    if what is What.FINISHED and _is_beginning(name, attributes):
        return What.STARTED
    return what


def _is_beginning(name: str, attributes: Mapping[str, str]) -> bool:
    last = name.rpartition(".")[2]
    if any(word in last for word in _BEGINNING):
        return True
    return attributes.get("status", "").lower() in _BEGINNING


def read_events(tree: SpanTree) -> Sequence[Event]:
    """Return the events of all spans, ordered by time; two reports of one event are merged."""
    return tree.remember(_read_events)


def _read_events(tree: SpanTree) -> Sequence[Event]:
    return list_events(tree.spans)


def list_events(spans: Iterable[Span]) -> Sequence[Event]:
    """Return the events of the spans, ordered by time; two reports of one event are merged."""
    found: dict[tuple[object, ...], Event] = {}
    for span in spans:
        for event in _events_of(span):
            key = _identity(event)
            known = found.get(key)
            found[key] = event if known is None else _both(known, event)
    return sorted(found.values(), key=lambda e: (e.time_ns, _sequence(e), e.holder.span_id))


def _events_of(span: Span) -> Iterator[Event]:
    if is_bare(span):
        name = name_of(span)
        if (what := what_of(name, span.attributes)) is not None:
            is_begin = what in (What.STARTED, What.PROMPT)  # these spans last as long as the run
            time_ns = span.start_ns if is_begin else span.end_ns
            yield Event(time_ns, name, what, span.attributes, span, True)
    for time_ns, own_name, attributes in span.events:
        name = attributes.get(EVENT_NAME) or own_name
        if (what := what_of(name, attributes)) is not None:
            yield Event(time_ns, name, what, attributes, span, False)


def _identity(event: Event) -> tuple[object, ...]:
    """Return a key that is equal for an event and its repetition in one span, as Codex sends it."""
    stamp = event.attributes.get("event.timestamp") or event.time_ns
    return event.what, event.holder.span_id, stamp, event.get(CALL_IDS), event.get(REQUEST_IDS)


def _both(ours: Event, theirs: Event) -> Event:
    longer, shorter = sorted((ours, theirs), key=lambda e: (-len(e.attributes), e.time_ns))
    attributes = {**shorter.attributes, **{k: v for k, v in longer.attributes.items() if v}}
    return longer._replace(attributes=attributes)


def _sequence(event: Event) -> float:
    return decimal(event.attributes.get("event.sequence", "")) or 0.0
