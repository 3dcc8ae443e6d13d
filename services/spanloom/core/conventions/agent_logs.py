"""Log records of coding agents: which are kept, and under which names.

Coding agents report prompts, model calls and tools as log records, often without a span. A record
is kept if its name says that something of a run happened; the names differ by sender in their
prefix only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BRIDGED = "log.bridge"
"""Attribute of spans that were log records; Qwen Code sets it on the spans of its own bridge."""
EVENT_NAME = "event.name"
CONVERSATION_KEYS = ("session.id", "conversation.id", "gen_ai.conversation.id")
PROMPT_KEYS = ("prompt.id", "prompt_id", "gen_ai.prompt.name")
USER_PROMPT = "user_prompt"
"""The last part of the name of the record that a run begins with."""

_SCOPES = {
    "com.anthropic.claude_code": "claude_code.",
    "codex_otel": "codex.",
    "gemini-cli": "gemini_cli.",
    "qwen-code": "qwen-code.",
}
"""The beginnings of the scope names of known senders, and the prefixes of their records."""
_PREFIXES = tuple(_SCOPES.values())
_HAPPENED = frozenset(
    {
        *(USER_PROMPT, "assistant_response"),
        *("api_request", "api_response", "api_error"),
        *("tool_call", "tool_result", "tool_decision"),
        *("agent.start", "agent.finish"),
    }
)
"""The last parts of the names of records that are kept, and all that begin with ``subagent``."""
_HAPPENED_TOO = frozenset(
    {
        *("claude_code.api_request_body", "claude_code.api_response_body"),
        *("claude_code.system_prompt", "codex.sse_event", "codex.turn_ttft"),
    }
)
"""Records of one sender that are kept."""
_KIND = "event.kind"
_COMPLETED = "response.completed"
"""Codex reports each piece of a stream; only the last has the tokens."""
_NAME = re.compile(r"[A-Za-z][\w.-]{0,79}")


def name_log(names: tuple[str, str, str], scope: str) -> str:
    """Return the name of a log record with the prefix of its sender; empty if it has none.

    ``names`` are its attribute ``event.name``, its own name (of Codex a line of source code) and
    its body, which often is the name. Example: ``claude_code.tool_result`` for ``tool_result`` in
    a scope of Claude Code.
    """
    known = [name for name in names if _NAME.fullmatch(name)]
    if not known:
        return ""
    prefixed = next((name for name in known if name.startswith(_PREFIXES)), "")
    return prefixed or _prefix_of(scope) + known[0]


def may_be_kept(name: str) -> bool:
    """Return whether records of this name are kept if ``is_kept`` agrees: without attributes."""
    return bool(happened(name)) or name in _HAPPENED_TOO


def is_kept(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether a record of this name reports a part of a run.

    One of an unknown sender has to name its conversation too: the last part of a name alone says
    little.
    """
    if not may_be_kept(name) or attributes.get(_KIND, _COMPLETED) != _COMPLETED:
        return False
    return name.startswith(_PREFIXES) or any(map(attributes.get, CONVERSATION_KEYS))


def happened(name: str) -> str:
    """Return what a record of this name reports: ``tool_call``, ``agent.start``; empty if unknown.

    All of sub-agents are ``subagent``.
    """
    *before, last = name.rsplit(".", 2)
    if last in _HAPPENED:
        return last
    if last.startswith("subagent"):
        return "subagent"
    both = f"{before[-1]}.{last}" if before else ""
    return both if both in _HAPPENED else ""


def is_name(text: str) -> bool:
    """Return whether a body is a mere name, which says nothing else."""
    return _NAME.fullmatch(text) is not None


def _prefix_of(scope: str) -> str:
    return next((prefix for start, prefix in _SCOPES.items() if scope.startswith(start)), "")
