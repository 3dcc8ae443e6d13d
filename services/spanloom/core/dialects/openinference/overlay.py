"""OpenInference's span processors: its attributes laid over a framework's own spans.

Some frameworks report themselves; OpenInference has no instrumentation for them but a span
processor, which adds its attributes to each span before it is exported. The scope, the name and the
framework's own attributes stay, and say more than the kind that is derived from them:
``ai.generateText`` gets ``AGENT`` with or without tools, an ``invoke_graph`` is ``CHAIN``, and
reasoning and cached tokens are left out. So the framework's dialect reads the span. What it does
not tell comes from the attributes laid over it: Strands' processor takes the events, where the
messages were, away.

Vercel's processor writes the first error of a trace on every span that ends after it. The SDK
records what a span raised as an event, so an error without one is another's, if the span answered.

Verified on captures of the Vercel AI SDK 6, and on runs of PydanticAI and Strands; the Agent
Framework on its processor's source.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.openinference.dialect import SPAN_KIND, OpenInference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.normalized import Classification, Facts
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Kind

_LAID_OVER = OpenInference()


class OpenInferenceOverlay(Dialect):
    """A framework's dialect, with OpenInference's attributes for what the framework leaves out."""

    id = "openinference_overlay"
    before = ("openinference", "strands")

    def __init__(self) -> None:
        """Make it without frameworks; ``meet`` brings them."""
        self._frameworks: Mapping[str, Dialect] = {}

    def meet(self, others: Sequence[Dialect]) -> None:
        """Take the dialects of frameworks that report themselves, by their scopes."""
        self._frameworks = {dialect.own_scope: dialect for dialect in others if dialect.own_scope}

    def recognises(self, signature: Signature) -> bool:
        """By the span kind on a span of a framework that reports itself."""
        return SPAN_KIND in signature.attributes and signature.scope_name in self._frameworks

    def classify(self, span: Span, view: TraceView) -> Classification:
        """As the framework's own dialect."""
        classification = self._frameworks[span.scope_name].classify(span, view)
        return classification._replace(is_sound=_answered(span))

    def describe(self, span: Span, kind: Kind) -> Facts:
        """As the framework's own dialect; OpenInference tells the rest."""
        own = self._frameworks[span.scope_name].describe(span, kind)
        return _completed(own, _LAID_OVER.describe(span, kind))


def _answered(span: Span) -> bool:
    """Return whether it ended well for the Vercel AI SDK, whatever its status says."""
    attributes = span.attributes
    ended_well = attributes.get("ai.response.finishReason", "error") != "error"
    raised = any(event.name == "exception" for event in span.events)
    return (ended_well or "ai.toolCall.result" in attributes) and not raised


def _completed(own: Facts, laid_over: Facts) -> Facts:
    """Fill in what is empty; counts are completed one by one."""
    missing = [f.name for f in fields(own) if not getattr(own, f.name)]
    completed = replace(own, **{name: getattr(laid_over, name) for name in missing})
    if own.usage and laid_over.usage:
        completed.usage = own.usage.completed_by(laid_over.usage)
    completed.metadata = {**laid_over.metadata, **own.metadata}
    return completed
