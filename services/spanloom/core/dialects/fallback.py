"""All other spans: the application's spans, HTTP spans, and spans of unknown conventions."""

from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind


class Fallback(Dialect):
    """Accepts spans that no other dialect recognises; none of them becomes a step."""

    id = "fallback"
    claims = Claim.ANY

    def recognises(self, signature: Signature) -> bool:  # noqa: ARG002  # the protocol's signature
        """Accept every span."""
        return True

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002
        """Classify every span as noise."""
        return Classification(Kind.OTHER, "fallback.no_convention")

    def describe(self, span: Span, kind: Kind) -> Facts:  # noqa: ARG002
        """Read ``input.value`` and ``output.value``, which several conventions share."""
        attributes = span.attributes
        return Facts(
            input=attributes.get("input.value", ""), output=attributes.get("output.value", "")
        )


DIALECTS = (Fallback(),)
