"""Documents that ``spanloom import`` sends (scope ``spanloom.import``): one span per step.

Once all spans of a document have arrived, the document is restored unchanged (ADR 035): every span
then has the rule ``imported.restored``, and the steps keep their original dialect and rule. The
other rules apply until then, and also if the run's original spans are sent too.

Verified on the documents of all captures, exported and imported.
"""

from spanloom.core.conventions import imported as carried
from spanloom.core.conventions.imported import NotCarriedError, read_kind, read_step
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Dialect
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.step import Step
from spanloom.core.model.trajectory import Kind

_BY_KIND = {
    Kind.AGENT: Classification(Kind.AGENT, "imported.agent"),
    Kind.MODEL: Classification(Kind.MODEL, "imported.model"),
    Kind.TOOL: Classification(Kind.TOOL, "imported.tool"),
    Kind.GRAPH: Classification(Kind.GRAPH, "imported.graph"),
    Kind.OTHER: Classification(Kind.OTHER, "imported.other"),
}


class Imported(Dialect):
    """The convention that ``core/formats/imported.py`` writes."""

    id = "imported"
    scopes = ("spanloom",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == carried.SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # span only
        """Classify spans by the step type in the span's attributes."""
        return _BY_KIND[read_kind(span)]

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the imported step; only its input if another attribute is invalid."""
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


DIALECTS = (Imported(),)
