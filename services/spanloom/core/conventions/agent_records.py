"""Kinds of log records of coding agents, by the end of their names: one table for all readers.

The names differ by sender in their prefix only: ``codex.user_prompt``, ``qwen-code.user_prompt``.
"""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache


class What(Enum):
    """The kind of a record."""

    PROMPT = auto()
    """A person's prompt."""
    REQUEST = auto()
    """A model is called; with counts or a status it is the whole call."""
    RESPONSE = auto()
    FAILURE = auto()
    """A call of a model failed."""
    ANSWER = auto()
    """The text of a model's answer."""
    SENT = auto()
    """The complete request to the model."""
    RECEIVED = auto()
    """The complete answer of the model."""
    TOOL = auto()
    """A tool was called, with its end."""
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
"""The end of a name, after a dot: of ``qwen-code.tool_call`` the ``tool_call``.

``task`` is Cline's word; only its turns that count tokens are answers.
"""
_OF_ONE_SENDER = {
    "claude_code.api_request_body": What.SENT,
    "claude_code.api_response_body": What.RECEIVED,
    "claude_code.system_prompt": None,
    "codex.sse_event": What.RESPONSE,
    "codex.websocket_request": What.REQUEST,
    "codex.turn_ttft": None,
}
"""Whole names; those of ``None`` are kept as a part of a run, and report no step."""
_SUB_AGENT = "subagent"
"""Beginning of the last part of a name: a sub-agent started or ended."""
_REPORTS = ("<task-notification>",)
"""Beginnings of prompts that a program itself wrote when a background sub-agent ended."""
NAMES_KEPT = 4096
MAX_NAME_CHARS = 200
"""Longer names report nothing."""


def what_is_named(name: str) -> What | None:
    """Return the kind of records of this name; ``None`` if they report nothing.

    Records that begin or end a sub-agent are ``FINISHED``: their attributes decide which.
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
    """Return whether records of this name are a part of a run, of any kind."""
    return name in _OF_ONE_SENDER or what_is_named(name) is not None


def is_unasked(prompt: str) -> bool:
    """Return whether a program wrote the prompt, to continue with the last person's prompt."""
    return prompt.startswith(_REPORTS)
