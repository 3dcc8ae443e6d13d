"""Everything else: spans of the application, of HTTP and of conventions not known here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span


class Fallback(Dialect):
    """Takes what no other dialect recognises, and never makes a step of it."""

    id = "fallback"
    claims = Claim.ANY

    def recognises(self, signature: Signature) -> bool:  # noqa: ARG002  # the protocol's signature
        """Take every span."""
        return True

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002
        """Return that no convention claims the span."""
        return Classification(Kind.OTHER, "fallback.no_convention")

    def describe(self, span: Span, kind: Kind) -> Facts:  # noqa: ARG002
        """Take the texts under the names that several conventions share."""
        attributes = span.attributes
        return Facts(
            input=attributes.get("input.value", ""), output=attributes.get("output.value", "")
        )
