"""Pending spans: Logfire reports the start of each span by another span below it. Not a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_PENDING = "logfire.pending_parent_id"
_BEGUN = Classification(Kind.OTHER, "logfire_pending.begun")


class LogfirePending(Dialect):
    """Spans that report only that another one began."""

    id = "logfire_pending"
    claims = Claim.OVERLAY
    before = ("langfuse", "langsmith")

    def recognises(self, signature: Signature) -> bool:
        """Recognise by the parent that the span itself will have."""
        return _PENDING in signature.keys

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # the protocol's signature
        """Classify as no step: the span follows when it has ended."""
        return _BEGUN

    def describe(self, span: Span, kind: Kind) -> Facts:  # noqa: ARG002  # the protocol's signature
        """Read nothing."""
        return Facts()


DIALECTS = (LogfirePending(),)
