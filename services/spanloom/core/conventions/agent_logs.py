"""Selects the log records of coding agents that are stored, and normalizes their names.

Coding agents report prompts, model calls and tools as log records, often without a span. A record
is stored if its name shows that it belongs to a run; senders' names differ only in their prefix.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_records import is_part_of_run
from spanloom.core.model.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import Event

BRIDGED = "log.bridge"
"""Attribute of spans made from log records; Qwen Code sets it on its own bridge's spans too."""
EVENT_NAME = "event.name"
CONVERSATION_KEYS = ("session.id", "conversation.id", "gen_ai.conversation.id", "ulid")
"""Attributes that name the conversation of a record; Cline uses ``ulid``."""
PROMPT_KEYS = (
    *("prompt.id", "prompt_id", "gen_ai.prompt.name", "qwen-code.prompt_id"),
    "github.copilot.interaction_id",
)

_SCOPES = {
    "com.anthropic.claude_code": "claude_code.",
    "codex_otel": "codex.",
    "gemini-cli": "gemini_cli.",
    "qwen-code": "qwen-code.",
}
"""Prefixes of the scope names of known senders, and the prefixes of their records' names."""
_PREFIXES = tuple(_SCOPES.values())
_KIND = "event.kind"
_COMPLETED = "response.completed"
"""Kind of the last chunk of Codex's streams; other chunks are stored only if they have an error."""
ERROR = "error.message"
OF_EVENT = "e0e0"
"""The first digits of the id of a span that was made from an event without a span."""
SERVICE_NAME, SCOPE_NAME = "service.name", "otel.scope.name"
"""Attributes of a span's events that name their sender."""
_NS_PER_MS = 1_000_000
_LONGEST_MS = 24 * 3600 * 1000
"""Longer durations in ms are ignored; the span then starts at its end."""
_NAME = re.compile(r"[A-Za-z][\w.-]{0,79}")


def name_log(names: tuple[str, str, str], scope: str) -> str:
    """Return the name of a log record with its sender's prefix; empty if the record has no name.

    ``names`` are the record's attribute ``event.name``, its name (for Codex a line of source code)
    and its body, which often is the name. Example: ``claude_code.tool_result`` for ``tool_result``
    in a scope of Claude Code.
    """
    known = [name for name in names if _NAME.fullmatch(name)]
    if not known:
        return ""
    prefixed = next((name for name in known if name.startswith(_PREFIXES)), "")
    return prefixed or _prefix_of(scope) + known[0]


def may_be_kept(name: str) -> bool:
    """Return whether records with this name may be stored; ``is_kept`` also reads attributes."""
    return is_part_of_run(name)


def is_kept(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether to store a record with this name and these attributes, as part of a run.

    An unknown sender's record must also name its conversation, because the end of a name alone
    does not prove that the sender is a coding agent.
    """
    is_piece = attributes.get(_KIND, _COMPLETED) != _COMPLETED
    if not may_be_kept(name) or (is_piece and not attributes.get(ERROR)):
        return False
    return name.startswith(_PREFIXES) or any(map(attributes.get, CONVERSATION_KEYS))


def start_of(time_ns: int, attributes: Mapping[str, str]) -> int:
    """Return ``time_ns`` less the attribute ``duration_ms``, in ns; never below zero."""
    try:
        lasted_ms = float(attributes.get("duration_ms") or 0)
    except ValueError:
        return time_ns
    if not isfinite(lasted_ms) or not 0 < lasted_ms <= _LONGEST_MS:
        return time_ns
    return max(time_ns - round(lasted_ms * _NS_PER_MS), 0)


def is_from_agent(event: Event) -> bool:
    """Return whether a span's event was a log record of a coding agent."""
    return EVENT_NAME in event.attributes and may_be_kept(event.name)


def count_records(spans: Iterable[Span]) -> int:
    """Return how many of the spans' events were log records of coding agents."""
    return sum(is_from_agent(event) for span in spans if span.events for event in span.events)


def as_span(event: Event, event_id: str, of: tuple[str, str], row_version: int) -> Span:
    """Convert a span's event to a span, as if it were a log record that was sent without a span.

    ``of`` is the trace id and the parent's span id, which may be empty.
    """
    attributes = dict(event.attributes)
    service, scope = attributes.pop(SERVICE_NAME, ""), attributes.pop(SCOPE_NAME, "")
    return Span(
        trace_id=of[0],
        span_id=OF_EVENT + event_id[len(OF_EVENT) :],
        parent_span_id=of[1],
        name=event.name,
        kind="Internal",
        start_ns=start_of(event.time_ns, attributes),
        end_ns=event.time_ns,
        status_code="Unset",
        status_message="",
        service_name=service,
        scope_name=scope,
        scope_version="",
        attributes=attributes | {BRIDGED: "true"},
        events=(),
        links=(),
        row_version=row_version,
    )


def is_name(text: str) -> bool:
    """Return whether the body of a record is only a name."""
    return _NAME.fullmatch(text) is not None


def is_of_known_sender(name: str) -> bool:
    """Return whether a known sender writes records with this name; their bodies are for people."""
    return name.startswith(_PREFIXES)


def _prefix_of(scope: str) -> str:
    return next((prefix for start, prefix in _SCOPES.items() if scope.startswith(start)), "")
