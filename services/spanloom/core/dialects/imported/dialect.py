"""Documents that ``spanloom import`` sent back (scope ``spanloom.import``): a span a step.

Once all spans of a document are there, the document is restored as it was (ADR 035): every span
then has the rule ``imported.restored``, and the steps keep the dialect and the rule by which
they were read at first. The other rules decide until then, and where the run itself sends spans.

Verified on the documents of all captures, sent back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import imported as carried
from spanloom.core.conventions.imported import NotCarriedError, read_kind, read_step
from spanloom.core.dialects.base import Dialect
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Step

_BY_KIND = {
    Kind.AGENT: Classification(Kind.AGENT, "imported.agent"),
    Kind.MODEL: Classification(Kind.MODEL, "imported.model"),
    Kind.TOOL: Classification(Kind.TOOL, "imported.tool"),
    Kind.GRAPH: Classification(Kind.GRAPH, "imported.graph"),
    Kind.OTHER: Classification(Kind.OTHER, "imported.other"),
}


class Imported(Dialect):
    """What ``core/formats/imported.py`` writes."""

    id = "imported"

    def recognises(self, signature: Signature) -> bool:
        """By the scope."""
        return signature.scope_name == carried.SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # by itself
        """By the type that the span carries."""
        return _BY_KIND[read_kind(span)]

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Return what the step shows, as far as any span can."""
        try:
            step = read_step(span, carried.STEP_METADATA)
        except NotCarriedError:
            return Facts(input=span.attributes.get(carried.INPUT, ""))
        return _facts(step, kind)


def _facts(step: Step, kind: Kind) -> Facts:
    return Facts(
        input=step.input,
        output=step.output,
        usage=step.usage,
        model=step.model,
        first_token_ms=step.first_token_ms,
        agent_name=step.name if kind is Kind.AGENT else "",
        tool_name=step.name if kind is Kind.TOOL else "",
        conversation_id=step.metadata.get("conversation_id", ""),
    )
