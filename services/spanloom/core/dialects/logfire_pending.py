"""Logfire's pending spans, which are no steps: each reports that its parent span has started."""

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
    """Spans that only report that another span has started."""

    id = "logfire_pending"
    claims = Claim.OVERLAY
    before = ("langfuse", "langsmith")

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the attribute that names the parent of the started span."""
        return _PENDING in signature.keys

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # the protocol's signature
        """Classify spans as no step, because the actual span arrives when it has ended."""
        return _BEGUN

    def describe(self, span: Span, kind: Kind) -> Facts:  # noqa: ARG002  # the protocol's signature
        """Return no facts, because the started span reports its facts itself when it ends."""
        return Facts()


DIALECTS = (LogfirePending(),)
