"""GitHub Copilot CLI (scope ``github.copilot``): GenAI conventions, with exit codes of commands.

The user's message begins with a tag for the current time, which is not part of the prompt.

Verified on runs of version 1.0.102.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.exit_codes import find_exit
from spanloom.core.dialects.coding_agents.sub_agents import prompt_in
from spanloom.core.dialects.coding_agents.unreported import COPILOT, read_place
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Span
    from spanloom.core.model.tree import SpanTree

SCOPE = "github.copilot"
_EXIT = "process.exit.code"
_INTERACTION, _OUTPUT = "github.copilot.interaction_id", "gen_ai.output.messages"
_ABORT = "github.copilot.session.abort"
_UNFINISHED = '["error"]'
"""Finish reasons of a call that was stopped."""


class Copilot(OtelGenAI):
    """The GenAI conventions as Copilot writes them."""

    id = "copilot"
    own_scope = SCOPE
    scopes = (r"github\.copilot",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; a command with an exit code other than 0 failed."""
        classification = super().classify(span, view)
        if classification.kind is Kind.TOOL:
            result = span.attributes.get("gen_ai.tool.call.result", "")
            return classification._replace(error=find_exit(span.attributes.get(_EXIT, ""), result))
        if classification.kind is Kind.AGENT and _is_turn(span):
            return _classify_turn(span, view, classification)
        if classification.kind is Kind.AGENT and (tool := view.tree.parent(span)) is not None:
            prompt = prompt_in(tool.attributes.get("gen_ai.tool.call.arguments", ""))
            own = span.attributes.get("gen_ai.input.messages", "")
            return classification._replace(facts=Facts(input="" if own else prompt))
        if classification.kind is Kind.MODEL and view.remember_tree(_has_abort):
            stopped = span.attributes.get("gen_ai.response.finish_reasons") == _UNFINISHED
            return classification._replace(is_cancelled=stopped)
        return classification


def _is_turn(span: Span) -> bool:
    return operation_of(span) == "invoke_agent" and not span.attributes.get("gen_ai.agent.name")


def _classify_turn(span: Span, view: TraceView, known: Classification) -> Classification:
    """Classify a turn: the run for a prompt, or the continuation of that run after a failure.

    The turns for one prompt are separate traces; the calls in them have the same interaction id.
    """
    first_turn, *others = view.remember_tree(_turns)
    if first_turn.span_id != span.span_id:
        rule = "copilot.turn_goes_on.fragment"
        return known._replace(rule=rule, part_of=first_turn.span_id, is_sound=True)
    facts = Facts(
        agent_name="copilot",
        metadata=read_place([span.attributes]),
        notes=COPILOT if view.remember_tree(_has_failed) else (),
        output=others[-1].attributes.get(_OUTPUT, "") if others else "",
    )
    rule = "copilot.interaction.fragment" if view.remember_tree(_names_interaction) else known.rule
    is_cut = _is_aborted(others[-1] if others else span)
    return known._replace(rule=rule, facts=facts, is_cancelled=is_cut, is_sound=bool(others))


def _turns(tree: SpanTree) -> Sequence[Span]:
    """Return the turns of the main agent in order."""
    return [span for span in tree.spans if span.scope_name == SCOPE and _is_turn(span)]


def _names_interaction(tree: SpanTree) -> bool:
    return any(_INTERACTION in span.attributes for span in tree.spans)


def _is_aborted(span: Span) -> bool:
    return any(event.name == _ABORT for event in span.events)


def _has_failed(tree: SpanTree) -> bool:
    return any("error.type" in span.attributes for span in tree.spans)


def _has_abort(tree: SpanTree) -> bool:
    return any(map(_is_aborted, tree.spans))
