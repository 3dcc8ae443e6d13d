"""Log records of any coding agent that belong to no span (with the attribute ``log.bridge``).

Senders are Claude Code with its spans switched off, Qwen Code, cancelled runs of Codex, Gemini CLI
(records without ids), and unknown programs. The last part of a record's name is its kind
(``user_prompt``, ``api_request``, ``tool_call``). A run consists of the first prompt and all later
records.

Verified on runs of Claude Code 2.1, Codex 0.169, Gemini CLI 0.61 and Qwen Code 0.15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_logs import BRIDGED
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.dialects.coding_agents.story import read_story
from spanloom.core.model.span import Facts
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Span
    from spanloom.core.model.trajectory import Kind


class AgentLogs(Dialect):
    """Reads all log records of a trace together, because several records report one call."""

    id = "agent_logs"
    claims = Claim.OVERLAY

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the attribute that the log bridge sets on each record."""
        return BRIDGED in signature.keys

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify the span by reading all records of the trace together."""
        return view.remember_tree(read_story)[span.span_id]

    def describe(self, span: Span, kind: Kind) -> Facts:  # noqa: ARG002  # texts: ``read_story``
        """Read the conversation; all other facts come with the classification."""
        return Facts(conversation_id=first(span.attributes, *keys.SESSIONS))
