"""Maps the end of a log record's name to the kind of the record, for all coding agents.

The names differ by sender only in their prefix: ``codex.user_prompt``, ``qwen-code.user_prompt``.
"""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache


class What(Enum):
    """The kind of a record."""

    PROMPT = auto()
    """A person's prompt."""
    REQUEST = auto()
    """A model was called; a record with token counts or an HTTP status reports the whole call."""
    RESPONSE = auto()
    FAILURE = auto()
    """A model call failed."""
    ANSWER = auto()
    """The text of a model's answer."""
    SENT = auto()
    """The complete request to the model."""
    RECEIVED = auto()
    """The complete answer of the model."""
    TOOL = auto()
    """A whole tool call, from its start to its end."""
    DECISION = auto()
    """A person or a rule decided whether a tool may run."""
    STARTED = auto()
    """A sub-agent started."""
    FINISHED = auto()
    """A sub-agent ended."""


_ENDINGS = {
    "user_prompt": What.PROMPT,
    "api_request": What.REQUEST,
    "api_response": What.RESPONSE,
    "api_error": What.FAILURE,
    "assistant_response": What.ANSWER,
    "tool_result": What.TOOL,
    "tool_call": What.TOOL,
    "task.tool_used": What.TOOL,
    "task.conversation_turn": What.RESPONSE,
    "tool_decision": What.DECISION,
    "agent.start": What.STARTED,
    "agent.finish": What.FINISHED,
}
"""Kinds of records, keyed by the end of the name: ``tool_call`` of ``qwen-code.tool_call``.

The entries with ``task`` are Cline's names.
"""
_OF_ONE_SENDER = {
    "claude_code.api_request_body": What.SENT,
    "claude_code.api_response_body": What.RECEIVED,
    "claude_code.system_prompt": None,
    "codex.sse_event": What.RESPONSE,
    "codex.websocket_request": What.REQUEST,
    "codex.turn_ttft": None,
}
"""Kinds, keyed by whole name; ``None`` for records that are stored with a run but are no step."""
_SUB_AGENT = "subagent"
"""Prefix of the last part of a name that reports the start or end of a sub-agent."""
_REPORTS = ("<task-notification>",)
"""Prefixes of prompts that a program, not a person, wrote after a background sub-agent ended."""
NAMES_KEPT = 4096
MAX_NAME_CHARS = 200
"""Records with longer names are ignored."""


def what_is_named(name: str) -> What | None:
    """Return the kind of records with this name; ``None`` if they report nothing.

    Records of a sub-agent's start or end are ``FINISHED``; their attributes distinguish the two.
    """
    return _what_is_named(name) if len(name) <= MAX_NAME_CHARS else None


@lru_cache(maxsize=NAMES_KEPT)
def _what_is_named(name: str) -> What | None:
    if name in _OF_ONE_SENDER:
        return _OF_ONE_SENDER[name]
    *before, last = name.rsplit(".", 2)
    both = f"{before[-1]}.{last}" if before else ""
    what = _ENDINGS.get(last) or _ENDINGS.get(both)
    return What.FINISHED if what is None and last.startswith(_SUB_AGENT) else what


def is_part_of_run(name: str) -> bool:
    """Return whether records with this name belong to a run, whatever they report."""
    return name in _OF_ONE_SENDER or what_is_named(name) is not None


def is_unasked(prompt: str) -> bool:
    """Return whether a program wrote the prompt, to continue the run of a person's prompt."""
    return prompt.startswith(_REPORTS)
