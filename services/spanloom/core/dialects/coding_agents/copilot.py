"""GitHub Copilot CLI (scope ``github.copilot``): GenAI conventions, with exit codes of commands.

The user's message begins with the time in a frame of its own; it is no part of what was asked.

Verified on runs of 1.0.102.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.exit_codes import find_exit
from spanloom.core.dialects.coding_agents.unreported import COPILOT, read_place
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.model.span import Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_field

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Span
    from spanloom.core.model.tree import SpanTree

SCOPE = "github.copilot"
_EXIT = "process.exit.code"
_ABORT = "github.copilot.session.abort"
_UNFINISHED = '["error"]'
"""Finish reasons of a call that was stopped."""


class Copilot(OtelGenAI):
    """The GenAI conventions as Copilot writes them."""

    id = "copilot"
    own_scope = SCOPE

    def recognises(self, signature: Signature) -> bool:
        """Recognise by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify by operation; a command with an exit code failed."""
        classification = super().classify(span, view)
        if classification.kind is Kind.TOOL:
            result = span.attributes.get("gen_ai.tool.call.result", "")
            return classification._replace(error=find_exit(span.attributes.get(_EXIT, ""), result))
        if classification.kind is Kind.AGENT and not span.attributes.get("gen_ai.agent.name"):
            notes = COPILOT if view.remember_tree(_has_failed) else ()
            place = read_place([span.attributes])
            facts = Facts(agent_name="copilot", metadata=place, notes=notes)
            return classification._replace(facts=facts, is_cancelled=_is_aborted(span))
        if classification.kind is Kind.AGENT and (tool := view.tree.parent(span)) is not None:
            asked = json_field(tool.attributes.get("gen_ai.tool.call.arguments", ""), "prompt")
            own = span.attributes.get("gen_ai.input.messages", "")
            text = asked if isinstance(asked, str) and not own else ""
            return classification._replace(facts=Facts(input=text))
        if classification.kind is Kind.MODEL and view.remember_tree(_has_abort):
            stopped = span.attributes.get("gen_ai.response.finish_reasons") == _UNFINISHED
            return classification._replace(is_cancelled=stopped)
        return classification


def _is_aborted(span: Span) -> bool:
    return any(event.name == _ABORT for event in span.events)


def _has_failed(tree: SpanTree) -> bool:
    return any("error.type" in span.attributes for span in tree.spans)


def _has_abort(tree: SpanTree) -> bool:
    return any(map(_is_aborted, tree.spans))
